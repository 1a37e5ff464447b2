// One daemon's Links with a record of what its handler heard, and a client that reads only when told: for the tests of links.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/io/links.hpp"

namespace rollcall::lim {

using boost::asio::ip::tcp;
using io::ClusterChannel;
using Caller = io::ClusterChannel::Caller;
using std::chrono::milliseconds;

constexpr auto kDeadline = std::chrono::seconds(60);

inline io::ClusterKey new_key() {
  char directory[] = "/tmp/rollcall-links.XXXXXX";
  EXPECT_NE(mkdtemp(directory), nullptr);
  const std::string path = std::string(directory) + "/key";
  EXPECT_TRUE(io::create_cluster_key(path));
  const auto key = io::load_cluster_key(path);
  EXPECT_TRUE(key);
  std::filesystem::remove_all(directory);
  return key ? *key : io::ClusterKey{};
}

// One LIM's links, with a book of what its handler heard.
struct Side {
  Side(boost::asio::io_context& loop, io::PeerKeys keys, const io::LinkLimits& limits = {},
       std::function<ConnectionHolder(int)> holder = {})
      : links(loop, std::move(keys), limits,
              {[this](io::LinkId id, const io::LinkPeer& peer) { opened[id] = peer; },
               [this](io::LinkId id, std::string_view payload) { return hear(id, payload); },
               [this](io::LinkId id, io::LinkEnd end, const std::string&) {
                 ended[id] = end;
                 if (on_ended) on_ended(id);
               },
               [this](const std::string& line) { said.push_back(line); }, nullptr, std::move(holder)}) {}

  Result<void> hear(io::LinkId id, std::string_view payload) {
    heard.emplace_back(payload);
    if (payload == "nonsense") return internal_error("found nonsense, expected sense");
    if (on_message) on_message(id, payload);
    return {};
  }

  std::map<io::LinkId, io::LinkPeer> opened;
  std::map<io::LinkId, io::LinkEnd> ended;
  std::vector<std::string> heard, said;
  std::function<void(io::LinkId, std::string_view)> on_message;
  std::function<void(io::LinkId)> on_ended;
  io::Links links;
};

class LimLinks : public testing::Test {
 protected:
  template <class Condition>
  void wait_until(Condition condition, const char* what) {
    const auto deadline = std::chrono::steady_clock::now() + kDeadline;
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      loop.restart();
      loop.run_one_for(milliseconds(20));
    }
    ASSERT_TRUE(condition()) << "waited in vain for: " << what;
  }

  std::uint16_t listen(Side& side) {
    const auto port = side.links.listen(0);
    EXPECT_TRUE(port);
    return port ? *port : 0;
  }

  tcp::socket connect(std::uint16_t port) {
    tcp::socket socket(loop);
    socket.connect({boost::asio::ip::make_address("127.0.0.1"), port});
    return socket;
  }

  boost::asio::io_context loop{1};
  io::ClusterKey key = new_key();
};

// A client without Asio's help: writes, and reads only when it is told to.
class Client {
 public:
  Client(tcp::socket socket, ClusterChannel channel)
      : socket_(std::move(socket)), channel_(std::move(channel)) {
    boost::asio::write(socket_, boost::asio::buffer(channel_.start()));
    socket_.non_blocking(true);
  }
  bool open() {
    if (!channel_.open()) read();
    return channel_.open();
  }
  void say(std::string_view payload) { out_ += channel_.seal(payload); }
  // Writes what is said as far as the peer takes it.
  bool wrote() {
    boost::system::error_code error;
    if (!out_.empty()) out_.erase(0, socket_.write_some(boost::asio::buffer(out_), error));
    return out_.empty();
  }
  // False at the end of the connection.
  bool read() {
    boost::system::error_code error;
    const std::size_t size = socket_.read_some(boost::asio::buffer(buffer_), error);
    if (error && error != boost::asio::error::would_block) return false;
    std::string out;
    const auto fed = channel_.feed({buffer_.data(), size}, out, [this](std::string_view payload) {
      heard.emplace_back(payload);
      return Result<void>();
    });
    EXPECT_TRUE(fed) << fed.error().text;
    out_ += out;
    wrote();
    return true;
  }
  std::vector<std::string> heard;

 private:
  tcp::socket socket_;
  ClusterChannel channel_;
  std::string out_;
  std::array<char, 65536> buffer_{};
};

}  // namespace rollcall::lim
