#include "ulna/view/server.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "support/fuzz.hpp"
#include "view/web_client.hpp"

// What the server does with requests that are as they should be, and with all others.
namespace ulna::test {
namespace {

using view::Message;
using view::Server;
using view::ServerOptions;

/// A server that remembers what it received, and has one mesh.
struct Host {
  explicit Host(ServerOptions options = {.messages_per_second = 1e9})
      : server(
            {.page = "<html>page</html>",
             .mesh = [](int n) { return n == 3 ? std::make_shared<std::string>("mesh") : nullptr; },
             .joined = [this](Server::Client c) { last = c, ++joined; },
             .left = [this](Server::Client) { ++left; },
             .received =
                 [this](Server::Client, std::string text) {
                   ++received;
                   bytes += long(text.size());
                 },
             .tick = [] {}},
            options) {
    server.start();
  }
  int port() const { return server.port(); }

  std::atomic<Server::Client> last = 0;
  std::atomic<int> joined = 0, left = 0;
  std::atomic<long> received = 0, bytes = 0;
  Server server;
};

TEST(Server, serves_the_page_and_meshes) {
  Host host;
  EXPECT_EQ(host.server.url(), "http://127.0.0.1:" + std::to_string(host.port()) + "/");
  const Reply page = request(host.port(), "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, "<html>page</html>");
  EXPECT_EQ(page.fields.at("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(request(host.port(), "/?theme=dark").body, page.body);
  EXPECT_EQ(request(host.port(), "/mesh/3").body, "mesh");
  const Reply head = request(host.port(), "/", "", "HEAD");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.fields.at("Content-Length"), std::to_string(page.body.size()));
}

TEST(Server, several_requests_use_one_connection) {
  Host host;
  Socket socket(host.port());
  for (int i = 0; i < 3; ++i) {
    socket.send("GET /mesh/3 HTTP/1.1\r\nHost: localhost:" + std::to_string(host.port()) +
                "\r\n\r\n");
    EXPECT_EQ(read_reply(socket).body, "mesh");
  }
}

TEST(Server, the_page_may_load_nothing_from_elsewhere_and_be_framed_by_nobody) {
  Host host;
  const std::string policy = request(host.port(), "/").fields.at("Content-Security-Policy");
  for (const char* part : {"default-src 'none'", "frame-ancestors 'none'"})
    EXPECT_NE(policy.find(part), policy.npos) << policy;
}

TEST(Server, what_is_not_there_is_not_found) {
  Host host;
  for (const char* target :
       {"/stream", "/mesh/4", "/mesh/", "/mesh/3/", "/mesh/-1", "/mesh/03x", "/mesh/99999999999999",
        "/index.html", "/favicon.ico", "/mesh/../../../../etc/passwd", "/../etc/passwd",
        "/%2e%2e/etc/passwd", "//etc/passwd", "/mesh/3?x", "*", "/mesh/3%00"})
    EXPECT_EQ(request(host.port(), target).status, 404) << target;
}

TEST(Server, methods_that_change_something_are_refused) {
  Host host;
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS"})
    EXPECT_EQ(request(host.port(), "/", "", method).status, 405) << method;
}

TEST(Server, other_hosts_and_origins_are_refused) {
  Host host;
  const std::string port = std::to_string(host.port());
  for (const std::string& fields :
       {std::string("Host: evil.example\r\n"), "Host: evil.example:" + port + "\r\n",
        std::string("Host: 127.0.0.1\r\n"), "Host: 127.0.0.1:1" + port + "\r\n",
        "Host: 127.0.0.1.evil.example:" + port + "\r\n",
        "Host: localhost:" + port + "\r\nHost: evil.example\r\n",
        "Host: localhost:" + port + "\r\nOrigin: http://evil.example\r\n",
        "Host: localhost:" + port + "\r\nOrigin: https://localhost:" + port + "\r\n",
        "Host: localhost:" + port + "\r\nOrigin: null\r\n"})
    EXPECT_EQ(request(host.port(), "/", fields).status, 403) << fields;
  Socket bare(host.port());
  bare.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(read_reply(bare).status, 403) << "without a host";
  EXPECT_EQ(request(host.port(), "/", "Host: LOCALHOST:" + port + "\r\n").status, 200);
}

TEST(Server, streams_go_to_pages_of_its_own_only) {
  Host host;
  const std::string port = std::to_string(host.port());
  EXPECT_EQ(Page(host.port()).status, 101);
  EXPECT_EQ(Page(host.port(), "Origin: http://127.0.0.1:" + port + "\r\n").status, 101);
  EXPECT_EQ(Page(host.port(), "Origin: http://localhost:" + port + "\r\n").status, 101);
  EXPECT_EQ(Page(host.port(), "Origin: http://evil.example\r\n").status, 403);
  EXPECT_EQ(Page(host.port(), "Origin: http://localhost:1\r\n").status, 403);
}

TEST(Server, a_port_that_is_taken_is_refused_with_advice) {
  Host host;
  try {
    Host second({.port = host.port()});
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("take another"), std::string::npos) << e.what();
  }
}

TEST(Server, messages_arrive_both_ways_and_in_order) {
  Host host;
  Page page(host.port());
  ASSERT_TRUE(soon([&] { return host.joined == 1; }));
  for (int i = 0; i < 100; ++i) host.server.send(host.last, view::text(std::to_string(i)));
  host.server.broadcast(view::binary(std::string(100'000, 'x')));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(page.next()->bytes, std::to_string(i));
  const auto large = page.next();
  ASSERT_TRUE(large);
  EXPECT_EQ(large->kind, 2);
  EXPECT_EQ(large->bytes.size(), 100'000u);
  page.send_frame(1, "hello");
  EXPECT_TRUE(soon([&] { return host.bytes == 5; }));
}

TEST(Server, who_does_not_follow_gets_no_broadcasts) {
  Host host;
  Page page(host.port());
  ASSERT_TRUE(soon([&] { return host.joined == 1; }));
  host.server.follow(host.last, false);
  host.server.broadcast(view::text("to all"));
  host.server.send(host.last, view::text("to one"));
  EXPECT_EQ(page.next()->bytes, "to one");
}

TEST(Server, a_page_that_does_not_read_holds_up_nobody_and_gets_the_newest_state) {
  Host host;
  Page slow(host.port(), "", 4096);
  ASSERT_TRUE(soon([&] { return host.joined == 1; }));
  Page quick(host.port());
  ASSERT_TRUE(soon([&] { return host.joined == 2; }));
  constexpr int count = 2000;
  const std::string large(20'000, 'x');
  for (int i = 0; i < count; ++i) host.server.broadcast(view::text(large + std::to_string(i), 7));
  // the quick one has the last state while the slow one has not read at all
  for (std::string last; last != std::to_string(count - 1);) {
    const auto frame = quick.next();
    ASSERT_TRUE(frame);
    last = frame->bytes.substr(large.size());
  }
  int seen = 0;
  for (std::string last; last != std::to_string(count - 1); ++seen) {
    const auto frame = slow.next();
    ASSERT_TRUE(frame);
    last = frame->bytes.substr(large.size());
  }
  EXPECT_LT(seen, count) << "nothing was left out";
}

TEST(Server, what_has_no_topic_is_never_left_out) {
  Host host;
  Page page(host.port(), "", 4096);
  ASSERT_TRUE(soon([&] { return host.joined == 1; }));
  for (int i = 0; i < 500; ++i) host.server.broadcast(view::text(std::string(5000, 'x')));
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(page.next()) << i;
}

TEST(Server, a_page_that_has_not_read_for_too_long_is_left) {
  Host host({.most_waiting = 50});
  Page page(host.port(), "", 4096);
  ASSERT_TRUE(soon([&] { return host.joined == 1; }));
  for (int i = 0; i < 2000; ++i) host.server.broadcast(view::text(std::string(20'000, 'x')));
  EXPECT_TRUE(soon([&] { return host.left == 1; }));
  EXPECT_EQ(host.server.clients(), 0);
}

TEST(Server, a_state_does_not_overtake_what_was_sent_before_it) {
  Host host;
  Page page(host.port(), "", 4096);
  ASSERT_TRUE(soon([&] { return host.joined == 1; }));
  host.server.broadcast(view::text(std::string(3'000'000, 'x')));  // fills the way
  host.server.broadcast(view::text("old", 7));
  host.server.broadcast(view::text("scene"));
  host.server.broadcast(view::text("new", 7));
  std::vector<std::string> order;
  while (order.empty() || order.back() != "new") {
    const auto frame = page.next(20s);
    ASSERT_TRUE(frame);
    if (frame->bytes.size() < 10) order.push_back(frame->bytes);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"scene", "new"}));
}

TEST(Server, a_hundred_thousand_random_messages_do_no_harm) {
  Host host;
  std::mt19937_64 random(7);
  Page page(host.port());
  long texts = 0;
  std::string frames;  // many at a time, or most of the time is the system's
  const long count = fuzz_cases(100'000);
  for (long i = 0; i < count; ++i) {
    std::string bytes(random() % 64, '\0');
    for (char& c : bytes) c = char(random() % 128);
    const bool text = random() % 4;
    frames += Page::frame(text ? 1 : 2, bytes);
    texts += text;
    if (i % 1000 == 999 || i + 1 == count) {
      ASSERT_TRUE(page.socket().send(frames));
      frames.clear();
    }
  }
  EXPECT_TRUE(soon([&] { return host.received == texts; }, 60s))
      << host.received << " of " << texts;
  EXPECT_EQ(request(host.port(), "/").status, 200);
}

TEST(Server, frames_that_break_the_rules_end_their_connection_only) {
  Host host;
  Page good(host.port());
  std::mt19937_64 random(8);
  const std::string bad_frames[] = {
      std::string("\x81\x05hello", 7),     // not masked
      std::string("\xff\x80\0\0\0\0", 6),  // reserved bits
      std::string("\x83\x80\0\0\0\0", 6),  // a kind that does not exist
      std::string("\x80\x80\0\0\0\0", 6),  // goes on with what did not begin
      std::string("\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 14),  // 2^64 - 1 bytes
      std::string("\x89\xfe\x01\0\0\0\0\0", 8),                             // a ping of 256 bytes
      std::string("\x81\x82\0\0\0\0\xc3\x28", 8),                           // no UTF-8
  };
  for (const std::string& frame : bad_frames) {
    Page bad(host.port());
    bad.socket().send(frame);
    EXPECT_TRUE(soon([&] { return bad.closed(); }));
  }
  for (int i = 0; i < 50; ++i) {
    Page bad(host.port());
    std::string bytes(random() % 200, '\0');
    for (char& c : bytes) c = char(random());
    bad.socket().send(bytes);
  }
  for (int i = 0; i < 50; ++i) {
    Socket bad(host.port());
    std::string bytes(random() % 3000, '\0');
    for (char& c : bytes) c = char(random());
    bad.send(bytes);
  }
  good.send_frame(1, "alive");
  EXPECT_TRUE(soon([&] { return host.bytes >= 5; }));
  EXPECT_TRUE(soon([&] { return host.server.clients() == 1; }));
}

TEST(Server, a_message_that_is_too_long_ends_the_connection) {
  Host host({.largest_message = 1000});
  Page page(host.port());
  page.send_frame(1, std::string(1000, 'x'));
  EXPECT_TRUE(soon([&] { return host.received == 1; }));
  page.send_frame(1, std::string(1001, 'x'));
  EXPECT_TRUE(soon([&] { return page.closed(); }));
  Page pieces(host.port());
  pieces.send_frame(1, std::string(600, 'x'), false);
  pieces.send_frame(0, std::string(600, 'x'), true);
  EXPECT_TRUE(soon([&] { return pieces.closed(); }));
  EXPECT_EQ(host.received, 1);
}

TEST(Server, a_head_that_is_too_long_is_refused) {
  Host host;
  const Reply reply = request(host.port(), "/", "X: " + std::string(20'000, 'x') + "\r\n");
  EXPECT_NE(reply.status, 200);
  EXPECT_EQ(request(host.port(), "/").status, 200);
}

TEST(Server, who_sends_too_fast_waits) {
  Host host({.messages_per_second = 100.0});
  Page page(host.port());
  const auto begin = Clock::now();
  for (int i = 0; i < 140; ++i) page.send_frame(1, "x");
  EXPECT_TRUE(soon([&] { return host.received == 140; }));
  // a hundred at once, the others in their time
  EXPECT_GE(Clock::now() - begin, 350ms);
}

TEST(Server, no_more_connections_than_allowed) {
  Host host({.most_connections = 3});
  std::vector<Page> pages;
  for (int i = 0; i < 3; ++i) pages.emplace_back(host.port());
  EXPECT_TRUE(soon([&] { return host.server.clients() == 3; }));
  EXPECT_EQ(request(host.port(), "/").status, 0) << "closed without an answer";
  pages.pop_back();
  EXPECT_TRUE(soon([&] { return request(host.port(), "/").status == 200; }));
}

TEST(Server, connections_that_say_nothing_time_out) {
  Host host({.most_connections = 4, .request_patience = 0.2, .patience = 0.4});
  Socket silent(host.port()), half(host.port());
  half.send("GET / HTTP/1.1\r\nHost: ");
  Page page(host.port());
  page.answers_pings = false;
  ASSERT_EQ(page.status, 101);
  EXPECT_EQ(silent.receive(3s), "");
  EXPECT_TRUE(silent.closed());
  while (!half.closed() && !half.receive(3s).empty()) {
  }
  EXPECT_TRUE(half.closed());
  EXPECT_TRUE(soon([&] { return host.left == 1; })) << "a page without a sign of life";
  EXPECT_EQ(request(host.port(), "/").status, 200);
}

TEST(Server, a_page_that_answers_pings_stays) {
  Host host({.patience = 0.3});
  Page page(host.port());
  EXPECT_FALSE(page.next(1s));
  EXPECT_EQ(host.left, 0);
}

TEST(Server, ends_with_pages_connected) {
  std::vector<Page> pages;
  {
    Host host;
    for (int i = 0; i < 5; ++i) pages.emplace_back(host.port());
    host.server.broadcast(view::text(std::string(1'000'000, 'x')));
  }
  EXPECT_TRUE(soon([&] { return pages[0].closed(); }));
}

}  // namespace
}  // namespace ulna::test
