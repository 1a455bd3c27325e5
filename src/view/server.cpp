#include "ulna/view/server.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <charconv>
#include <deque>
#include <map>
#include <optional>
#include <thread>

namespace ulna::view {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Request = http::request<http::empty_body>;

constexpr auto tick_length = std::chrono::milliseconds(8);
constexpr std::size_t largest_head = 8192;  // bytes

Clock::duration seconds(double s) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
}

/// One of the connections that may be open at a time.
class Seat {
 public:
  explicit Seat(int& taken) : taken_(&taken) { ++*taken_; }
  Seat(Seat&& other) noexcept : taken_(std::exchange(other.taken_, nullptr)) {}
  Seat& operator=(Seat&&) = delete;
  ~Seat() {
    if (taken_) --*taken_;
  }

 private:
  int* taken_;
};

}  // namespace

class PageSocket;

struct Server::Parts {
  Parts(Program p, const ServerOptions& o) : program(std::move(p)), options(o) {}

  void accept();
  void tick();
  bool is_own_host(beast::string_view host) const {
    const auto matches = [&](const char* name) {
      return beast::iequals(host, name + (":" + std::to_string(port)));
    };
    return matches("127.0.0.1") || matches("localhost");
  }
  bool is_own_origin(beast::string_view origin) const {
    constexpr beast::string_view scheme = "http://";
    return origin.starts_with(scheme) && is_own_host(origin.substr(scheme.size()));
  }

  Program program;
  ServerOptions options;
  int port = 0;
  int seats = 0;
  std::atomic<int> clients = 0;
  Client last = 0;
  // what uses the context goes before it does
  asio::io_context context{1};
  tcp::acceptor acceptor{context};
  asio::steady_timer ticker{context}, rest{context};
  std::map<Client, std::shared_ptr<PageSocket>> pages;
  bool ticking = false;
  std::thread thread;
};

/// A page that is connected: what it sends and what is sent to it.
class PageSocket : public std::enable_shared_from_this<PageSocket> {
 public:
  using Parts = Server::Parts;

  PageSocket(Parts& server, beast::tcp_stream stream, Seat seat)
      : server_(server),
        seat_(std::move(seat)),
        socket_(std::move(stream)),
        pause_(server.context),
        tokens_(server.options.messages_per_second) {}

  void open(const Request& request) {
    beast::get_lowest_layer(socket_).expires_never();
    websocket::stream_base::timeout timeout{};
    timeout.handshake_timeout = seconds(server_.options.request_patience);
    timeout.idle_timeout = seconds(server_.options.patience);
    timeout.keep_alive_pings = true;
    socket_.set_option(timeout);
    socket_.read_message_max(server_.options.largest_message);
    socket_.auto_fragment(false);
    socket_.async_accept(request, [self = shared_from_this()](error_code error) {
      if (!error) self->join();
    });
  }

  void send(Message message) {
    if (!client_) return;
    if (message.topic != 0) {
      const auto older = std::find_if(out_.begin() + (writing_ ? 1 : 0), out_.end(),
                                      [&](const Message& m) { return m.topic == message.topic; });
      if (older != out_.end()) out_.erase(older);
    }
    if (out_.size() >= std::size_t(server_.options.most_waiting)) return leave();
    out_.push_back(std::move(message));
    if (!writing_) write();
  }

  bool follows = true;

 private:
  void join() {
    client_ = ++server_.last;
    server_.pages.emplace(client_, shared_from_this());
    ++server_.clients;
    server_.program.joined(client_);
    server_.tick();
    read();
  }

  void leave() {
    if (!client_) return;
    error_code ignored;
    beast::get_lowest_layer(socket_).socket().close(ignored);
    pause_.cancel();
    const Server::Client client = std::exchange(client_, 0);
    --server_.clients;
    server_.program.left(client);
    server_.pages.erase(client);  // last: it may hold this
  }

  void read() {
    if (!client_) return;
    socket_.async_read(in_, [self = shared_from_this()](error_code error, std::size_t) {
      if (!self->client_) return;
      if (error) return self->leave();
      if (self->socket_.got_text())
        self->server_.program.received(self->client_, beast::buffers_to_string(self->in_.data()));
      self->in_.consume(self->in_.size());
      constexpr std::size_t usual = 1u << 16;
      if (self->in_.capacity() > usual) self->in_.shrink_to_fit();
      self->read_when_due();
    });
  }

  /// As fast as messages are taken; those that come faster stay in the socket.
  void read_when_due() {
    const double rate = server_.options.messages_per_second;
    const Clock::time_point now = Clock::now();
    const std::chrono::duration<double> passed = now - filled_;
    filled_ = now;
    tokens_ = std::min(rate, tokens_ + rate * passed.count()) - 1.0;
    if (tokens_ >= 0.0) return read();
    pause_.expires_after(seconds(-tokens_ / rate));
    pause_.async_wait([self = shared_from_this()](error_code error) {
      if (!error) self->read();
    });
  }

  void write() {
    writing_ = true;
    const Message& next = out_.front();
    socket_.binary(next.binary);
    socket_.async_write(asio::buffer(*next.bytes), [self = shared_from_this(), bytes = next.bytes](
                                                       error_code error, std::size_t) {
      self->writing_ = false;
      if (!self->client_) return;
      if (error) return self->leave();
      self->out_.pop_front();
      if (!self->out_.empty()) self->write();
    });
  }

  Parts& server_;
  Seat seat_;
  websocket::stream<beast::tcp_stream> socket_;
  beast::flat_buffer in_;
  std::deque<Message> out_;  ///< the first is being written
  bool writing_ = false;
  asio::steady_timer pause_;
  double tokens_;  ///< messages that may come at once
  Clock::time_point filled_ = Clock::now();
  Server::Client client_ = 0;  ///< 0: not connected
};

/// A connection as it begins: requests of HTTP, one after the other, until one asks for the stream.
class Visit : public std::enable_shared_from_this<Visit> {
 public:
  using Parts = Server::Parts;

  Visit(Parts& server, tcp::socket socket, Seat seat)
      : server_(server), seat_(std::move(seat)), stream_(std::move(socket)) {}

  void read() {
    parser_.emplace();
    parser_->header_limit(largest_head);
    parser_->body_limit(0);
    stream_.expires_after(seconds(server_.options.request_patience));
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, std::size_t) {
                       if (!error) return self->answer();
                       if (error == http::error::end_of_stream) return self->close();
                       if (error != beast::error::timeout && error != asio::error::eof)
                         self->refuse(http::status::bad_request);
                     });
  }

 private:
  void answer() {
    const Request& request = parser_->get();
    if (request.count(http::field::host) != 1 || !server_.is_own_host(request[http::field::host]))
      return refuse(http::status::forbidden);
    if (request.count(http::field::origin) > 1 ||
        (request.count(http::field::origin) == 1 &&
         !server_.is_own_origin(request[http::field::origin])))
      return refuse(http::status::forbidden);
    const beast::string_view target = request.target();
    if (target == "/stream" && websocket::is_upgrade(request)) {
      std::make_shared<PageSocket>(server_, std::move(stream_), std::move(seat_))->open(request);
      return;
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return refuse(http::status::method_not_allowed);
    if (target == "/" || target.starts_with("/?"))
      return respond(http::status::ok, "text/html; charset=utf-8", server_.program.page);
    constexpr beast::string_view meshes = "/mesh/";
    if (target.starts_with(meshes)) {
      int number = -1;
      const beast::string_view digits = target.substr(meshes.size());
      const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
      if (error == std::errc() && end == digits.end() && number >= 0)
        mesh_ = server_.program.mesh(number);
      if (mesh_) return respond(http::status::ok, "application/octet-stream", *mesh_);
    }
    refuse(http::status::not_found);
  }

  void refuse(http::status status) {
    stays_ = false;
    const beast::string_view reason = http::obsolete_reason(status);
    respond(status, "text/plain", {reason.data(), reason.size()});
  }

  void respond(http::status status, const char* type, std::string_view body) {
    const Request& request = parser_->get();
    response_.emplace(status, 11);
    response_->set(http::field::content_type, type);
    response_->set(http::field::cache_control, "no-store");
    response_->set("X-Content-Type-Options", "nosniff");
    response_->set("Referrer-Policy", "no-referrer");
    response_->set("Cross-Origin-Resource-Policy", "same-origin");
    response_->set("Content-Security-Policy", policy());
    response_->body() = {body.data(), body.size()};
    response_->keep_alive(stays_ && request.keep_alive());
    response_->prepare_payload();
    stream_.expires_after(seconds(server_.options.request_patience));
    const auto written = [self = shared_from_this()](error_code error, std::size_t) {
      self->mesh_.reset();
      if (error) return;
      self->response_->keep_alive() ? self->read() : self->close();
    };
    if (request.method() != http::verb::head)
      return http::async_write(stream_, *response_, written);
    serializer_.emplace(*response_);
    http::async_write_header(stream_, *serializer_, written);
  }

  /// The page is one file: nothing is loaded from elsewhere, and nobody may frame it.
  std::string policy() const {
    const std::string host = "ws://127.0.0.1:" + std::to_string(server_.port) +
                             " ws://localhost:" + std::to_string(server_.port);
    return "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; "
           "img-src 'self' data: blob:; media-src blob:; font-src data:; worker-src blob:; "
           "connect-src 'self' data: blob: " +
           host + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  }

  void close() {
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  Parts& server_;
  Seat seat_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{2 * largest_head};
  std::optional<http::request_parser<http::empty_body>> parser_;
  using Body = http::span_body<const char>;
  std::optional<http::response<Body>> response_;
  std::optional<http::response_serializer<Body>> serializer_;
  std::shared_ptr<const std::string> mesh_;  ///< while it is sent
  bool stays_ = true;
};

void Server::Parts::accept() {
  acceptor.async_accept([this](error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (error) {  // no more files, say
      rest.expires_after(std::chrono::milliseconds(100));
      rest.async_wait([this](error_code stopped) {
        if (!stopped) accept();
      });
      return;
    }
    if (seats < options.most_connections) {
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      std::make_shared<Visit>(*this, std::move(socket), Seat(seats))->read();
    }
    accept();
  });
}

void Server::Parts::tick() {
  if (ticking || pages.empty()) return;
  ticking = true;
  ticker.expires_after(tick_length);
  ticker.async_wait([this](error_code error) {
    ticking = false;
    if (error) return;
    program.tick();
    tick();
  });
}

Server::Server(Program program, const ServerOptions& options)
    : parts_(std::make_unique<Parts>(std::move(program), options)) {
  Parts& p = *parts_;
  error_code error;
  const tcp::endpoint at(asio::ip::address_v4::loopback(), std::uint16_t(options.port));
  if (options.port < 0 || options.port > 65535)
    throw std::runtime_error("port " + std::to_string(options.port) + " is not from 0 to 65535");
  p.acceptor.open(at.protocol(), error);
  if (!error) p.acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) p.acceptor.bind(at, error);
  if (!error) p.acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    throw std::runtime_error("port " + std::to_string(options.port) + " of 127.0.0.1: " +
                             error.message() + "; take another, or 0 for one that is free");
  p.port = p.acceptor.local_endpoint().port();
}

void Server::start() {
  Parts& p = *parts_;
  p.accept();
  p.thread = std::thread([&p] {
    for (;;) {
      try {
        p.context.run();
        return;
      } catch (const std::exception&) {
        // no memory for one message: the others go on
      }
    }
  });
}

Server::~Server() {
  parts_->context.stop();
  if (parts_->thread.joinable()) parts_->thread.join();
}

int Server::port() const { return parts_->port; }
std::string Server::url() const { return "http://127.0.0.1:" + std::to_string(port()) + "/"; }
int Server::clients() const { return parts_->clients; }

void Server::post(std::function<void()> action) { asio::post(parts_->context, std::move(action)); }

void Server::send(Client to, Message message) {
  asio::post(parts_->context, [&p = *parts_, to, message = std::move(message)] {
    const auto page = p.pages.find(to);
    if (page != p.pages.end()) page->second->send(message);
  });
}

void Server::broadcast(Message message) {
  asio::post(parts_->context, [&p = *parts_, message = std::move(message)] {
    // a page that is gone leaves the list while it is walked through
    for (auto next = p.pages.begin(); next != p.pages.end();) {
      const auto page = (next++)->second;
      if (page->follows) page->send(message);
    }
  });
}

void Server::follow(Client client, bool on) {
  asio::post(parts_->context, [&p = *parts_, client, on] {
    const auto page = p.pages.find(client);
    if (page != p.pages.end()) page->second->follows = on;
  });
}

}  // namespace ulna::view
