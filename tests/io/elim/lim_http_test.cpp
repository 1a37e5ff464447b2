// LIM's metrics port with real sockets: its answers, and that no client of it disturbs another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include "elim/lim/http.hpp"
#include "tests/io/common/silent_crowd.hpp"

namespace rollcall::lim {
namespace {

using boost::asio::ip::tcp;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

constexpr auto kDeadline = std::chrono::seconds(60);

class LimHttp : public testing::Test {
 protected:
  void listen(const HttpLimits& limits = {}) {
    server = std::make_unique<MetricsServer>(loop, limits, [this] { return answer; });
    const auto listening = server->listen({"127.0.0.1", 0});
    ASSERT_TRUE(listening) << listening.error().text;
    port = *listening;
  }

  tcp::socket connect() {
    tcp::socket socket(loop);
    socket.connect({boost::asio::ip::make_address("127.0.0.1"), port});
    socket.non_blocking(true);
    return socket;
  }

  // All that comes until the server closes, or `most` bytes.
  std::string read_all(tcp::socket& socket, std::size_t most = 100'000'000) {
    std::string all;
    const auto deadline = std::chrono::steady_clock::now() + kDeadline;
    char bytes[65536];
    while (all.size() < most && std::chrono::steady_clock::now() < deadline) {
      boost::system::error_code error;
      const std::size_t size = socket.read_some(boost::asio::buffer(bytes), error);
      all.append(bytes, size);
      if (error && error != boost::asio::error::would_block) return all;
      loop.restart();
      loop.run_one_for(milliseconds(5));
    }
    if (all.size() < most) ADD_FAILURE() << "waited in vain for the end of the answer";
    return all;
  }

  std::string ask(const std::string& request) {
    auto socket = connect();
    boost::asio::write(socket, boost::asio::buffer(request));
    return read_all(socket);
  }

  // Two pieces.
  static MetricsServer::Answer two_lines() {
    auto left = std::make_shared<int>(2);
    return {[left]() -> std::optional<std::string> {
              if (*left == 0) return std::nullopt;
              return "line " + std::to_string((*left)--) + "\n";
            },
            ""};
  }

  boost::asio::io_context loop{1};
  std::unique_ptr<MetricsServer> server;
  MetricsServer::Answer answer;
  std::uint16_t port = 0;
};

TEST_F(LimHttp, GivesThePiecesInChunks) {
  listen();
  answer = two_lines();
  const std::string page = ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(page, HasSubstr("text/plain; version=0.0.4"));
  EXPECT_THAT(page, HasSubstr("\r\n\r\n7\r\nline 2\n\r\n7\r\nline 1\n\r\n0\r\n\r\n"));
}

TEST_F(LimHttp, AnOldClientGetsThemBare) {
  listen();
  answer = two_lines();
  EXPECT_THAT(ask("GET /metrics?x=1 HTTP/1.0\r\n\r\n"), HasSubstr("\r\n\r\nline 2\nline 1\n"));
}

TEST_F(LimHttp, FollowerNamesTheMaster) {
  listen();
  answer = {nullptr, "the master is n1"};
  const std::string page = ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(page, HasSubstr("the master is n1\n"));
}

TEST_F(LimHttp, RefusesEveryOtherRequest) {
  listen();
  answer = two_lines();
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(ask("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"),
              StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(ask(std::string(300, '\x01') + "\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_EQ(ask("GET /metrics HTTP/1.1\r\nX: " + std::string(20'000, 'x')).find("200 OK"), std::string::npos);
}

TEST_F(LimHttp, SilentClientIsClosedAndOthersAreServedBefore) {
  listen({.connections = 4, .request = milliseconds(300)});
  std::vector<tcp::socket> silent;
  for (int i = 0; i < 4; ++i) silent.push_back(connect());
  answer = two_lines();
  EXPECT_THAT(ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), HasSubstr("line 1"))
      << "behind four silent clients";
}

TEST_F(LimHttp, CrowdOfOneUserIsNotWaitedFor) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to be another user";
  listen({.connections = 16, .request = std::chrono::seconds(60)});
  const auto crowd = test::silent_crowd(port, 40);
  answer = two_lines();
  EXPECT_THAT(ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), HasSubstr("line 1"));
  EXPECT_GE(test::closed_of(crowd), 40 - 8) << "one user has half of the places";
}

TEST_F(LimHttp, AReaderThatStopsMakesNoMoreThanItTakes) {
  listen({.write = milliseconds(300)});
  auto made = std::make_shared<int>(0);
  answer = {[made]() -> std::optional<std::string> { return ++*made, std::string(100'000, 'x'); }, ""};
  auto slow = connect();
  boost::asio::write(slow, boost::asio::buffer(std::string("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")));
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (std::chrono::steady_clock::now() < until) {
    loop.restart();
    loop.run_one_for(milliseconds(20));
  }
  EXPECT_GT(*made, 0);
  EXPECT_LT(*made, 200) << "20 MB were made for a client that does not read";
  const int before = *made;
  loop.restart();
  loop.run_for(milliseconds(100));
  EXPECT_EQ(*made, before) << "it has been closed";
}

TEST(HttpAddress, IsAPortOrAnAddressAndAPort) {
  EXPECT_EQ(parse_http_address("9100")->host, "127.0.0.1");
  EXPECT_EQ(parse_http_address("9100")->port, 9100);
  EXPECT_EQ(parse_http_address("0.0.0.0:80")->host, "0.0.0.0");
  EXPECT_EQ(parse_http_address("[::1]:80")->host, "::1");
  for (const char* wrong : {"", "x", "70000", "host:80", "1.2.3.4:", ":80"}) {
    const auto parsed = parse_http_address(wrong);
    ASSERT_FALSE(parsed) << wrong;
    EXPECT_THAT(parsed.error().text, HasSubstr("ROLLCALL_HTTP: found \"" + std::string(wrong) + "\""));
  }
}

}  // namespace
}  // namespace rollcall::lim
