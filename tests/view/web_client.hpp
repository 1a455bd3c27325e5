#pragma once

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

/// A browser, as far as tests need one: HTTP and WebSocket on bare sockets, so that it can also misbehave.
namespace ulna::test {

using Json = nlohmann::json;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Whether it becomes true within some seconds.
template <class F>
bool soon(F condition, Clock::duration patience = 5s) {
  for (const auto end = Clock::now() + patience; Clock::now() < end;) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return condition();
}

class Socket {
 public:
  explicit Socket(int port, int receive_buffer = 0) : file_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0)
      setsockopt(file_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    const int on = 1;
    setsockopt(file_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in to{};
    to.sin_family = AF_INET, to.sin_port = htons(std::uint16_t(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(file_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
      throw std::runtime_error("cannot connect");
  }
  Socket(Socket&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (file_ >= 0) ::close(file_);
  }

  /// False: the other side is gone.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::send(file_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(std::size_t(n));
    }
    return true;
  }
  /// What has come, or "" once nothing came for so long or the other side is gone, which closed() tells apart.
  std::string receive(Clock::duration patience = 5s) {
    pollfd ready{file_, POLLIN, 0};
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(patience).count();
    if (::poll(&ready, 1, int(ms)) <= 0) return "";
    std::string bytes(1 << 16, '\0');
    const ssize_t n = ::recv(file_, bytes.data(), bytes.size(), 0);
    if (n <= 0) closed_ = true;
    bytes.resize(n > 0 ? std::size_t(n) : 0);
    return bytes;
  }
  bool closed() const { return closed_; }

 private:
  int file_;
  bool closed_ = false;
};

struct Reply {
  int status = 0;
  std::map<std::string, std::string> fields;
  std::string body;
};

/// Reads a response from a connection that may go on.
inline Reply read_reply(Socket& socket, bool has_body = true) {
  std::string text;
  const auto more = [&] {
    const std::string bytes = socket.receive();
    text += bytes;
    return !bytes.empty();
  };
  while (text.find("\r\n\r\n") == text.npos)
    if (!more()) return {};
  Reply reply;
  reply.status = std::stoi(text.substr(9, 3));
  std::size_t at = text.find("\r\n") + 2;
  while (text.compare(at, 2, "\r\n") != 0) {
    const std::size_t colon = text.find(": ", at), end = text.find("\r\n", at);
    reply.fields[text.substr(at, colon - at)] = text.substr(colon + 2, end - colon - 2);
    at = end + 2;
  }
  text.erase(0, at + 2);
  const auto length = reply.fields.find("Content-Length");
  const std::size_t size =
      has_body && length != reply.fields.end() ? std::stoul(length->second) : 0;
  while (text.size() < size)
    if (!more()) break;
  reply.body = text;
  return reply;
}

/// "GET", a target, and fields such as "Host: localhost:80"; without a host, the right one.
inline Reply request(int port, const std::string& target, std::string fields = "",
                     const std::string& method = "GET") {
  if (fields.find("Host:") == fields.npos)
    fields = "Host: 127.0.0.1:" + std::to_string(port) + "\r\n" + fields;
  Socket socket(port);
  socket.send(method + " " + target + " HTTP/1.1\r\n" + fields + "\r\n");
  return read_reply(socket, method != "HEAD");
}

inline int port_of(const std::string& url) { return std::stoi(url.substr(url.rfind(':') + 1)); }

/// A frame of the stream.
struct Frame {
  int kind = 0;  ///< 1 text, 2 binary, 8 the end
  std::string bytes;
  template <class T>
  T number(std::size_t at) const {
    T x;
    std::memcpy(&x, bytes.data() + at, sizeof x);
    return x;
  }
};

class Page {
 public:
  explicit Page(int port, const std::string& fields = "", int receive_buffer = 0)
      : socket_(port, receive_buffer) {
    socket_.send("GET /stream HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                 "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                 fields + "\r\n");
    while (input_.find("\r\n\r\n") == input_.npos) {
      const std::string bytes = socket_.receive();
      if (bytes.empty()) return;
      input_ += bytes;
    }
    status = std::stoi(input_.substr(9, 3));
    input_.erase(0, input_.find("\r\n\r\n") + 4);
  }

  int status = 0;  ///< 101: it is connected
  bool answers_pings = true;

  static std::string frame(int kind, std::string_view bytes, bool last = true) {
    std::string frame(1, char((last ? 0x80 : 0) | kind));
    if (bytes.size() < 126) {
      frame += char(0x80 | int(bytes.size()));
    } else if (bytes.size() < 65536) {
      frame += char(0x80 | 126);
      for (const int shift : {8, 0}) frame += char(bytes.size() >> shift & 255);
    } else {
      frame += char(0x80 | 127);
      for (int shift = 56; shift >= 0; shift -= 8) frame += char(bytes.size() >> shift & 255);
    }
    frame += std::string(4, '\0');  // a mask that changes nothing
    frame += bytes;
    return frame;
  }
  bool send_frame(int kind, std::string_view bytes, bool last = true) {
    return socket_.send(frame(kind, bytes, last));
  }
  bool send(const Json& message) { return send_frame(1, message.dump()); }

  /// The next frame, or none once nothing came for so long or the connection is closed.
  std::optional<Frame> next(Clock::duration patience = 5s) {
    const auto end = Clock::now() + patience;
    for (;;) {
      while (auto frame = take()) {
        if (frame->kind == 9 && answers_pings) send_frame(10, frame->bytes);
        if (frame->kind == 8) return {};
        if (frame->kind < 8) return frame;
      }
      const auto left = end - Clock::now();
      if (left <= 0s || socket_.closed()) return {};
      input_ += socket_.receive(left);
    }
  }
  /// The next text of a type.
  Json wait_for(const std::string& type, Clock::duration patience = 5s) {
    const auto end = Clock::now() + patience;
    while (auto frame = next(end - Clock::now())) {
      if (frame->kind != 1) continue;
      Json message = Json::parse(frame->bytes);
      if (message["type"] == type) return message;
    }
    return nullptr;
  }
  /// The next binary message of a kind.
  std::optional<Frame> wait_for(int kind, Clock::duration patience = 5s) {
    const auto end = Clock::now() + patience;
    while (auto frame = next(end - Clock::now()))
      if (frame->kind == 2 && frame->number<std::uint8_t>(0) == kind) return frame;
    return {};
  }
  Json ask(const Json& question, const std::string& type) {
    send(question);
    return wait_for(type);
  }
  bool closed() {
    while (next(10ms)) {
    }
    return socket_.closed();
  }
  Socket& socket() { return socket_; }

 private:
  std::optional<Frame> take() {
    const auto byte = [&](std::size_t i) { return std::size_t(std::uint8_t(input_[i])); };
    if (input_.size() < 2) return {};
    std::size_t head = 2, size = byte(1) & 127;
    const std::size_t more = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (input_.size() < head + more) return {};
    if (more) size = 0;
    for (std::size_t i = 0; i < more; ++i) size = size << 8 | byte(head++);
    if (input_.size() < head + size) return {};
    Frame frame{int(byte(0) & 15), input_.substr(head, size)};
    input_.erase(0, head + size);
    return frame;
  }

  Socket socket_;
  std::string input_;
};

}  // namespace ulna::test
