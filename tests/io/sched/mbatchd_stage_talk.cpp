// One connection of the stage to mbatchd.
#include <poll.h>

#include <array>
#include <boost/asio/write.hpp>

#include "tests/io/sched/mbatchd_stage.hpp"

namespace rollcall::mbatchd::test {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Talk::Talk(std::uint16_t port, io::ClusterChannel channel) : channel_(std::move(channel)) {
  boost::system::error_code error;
  socket_.connect({boost::asio::ip::make_address("127.0.0.1"), port}, error);
  if (error) {
    ended_ = true;
    return;
  }
  boost::asio::write(socket_, boost::asio::buffer(channel_.start()), error);
  const auto until = steady_clock::now() + kPatience;
  while (!channel_.open() && read(until)) continue;
  open_ = channel_.open();
}

void Talk::say(const wire::ToMbatchd& message) { say_payload(message.SerializeAsString()); }

void Talk::say_payload(const std::string& payload) { say_bytes(channel_.seal(payload)); }

void Talk::say_bytes(const std::string& bytes) {
  boost::system::error_code error;
  boost::asio::write(socket_, boost::asio::buffer(bytes), error);
}

bool Talk::read(steady_clock::time_point until) {
  const auto left = std::chrono::duration_cast<milliseconds>(until - steady_clock::now()).count();
  pollfd waiting{socket_.native_handle(), POLLIN, 0};
  if (ended_ || poll(&waiting, 1, static_cast<int>(std::max<long>(0, left))) <= 0) return false;
  std::array<char, 65536> buffer;
  boost::system::error_code error;
  const std::size_t size = socket_.read_some(boost::asio::buffer(buffer), error);
  if (error) {
    ended_ = true;
    return false;
  }
  std::string out;
  const auto fed = channel_.feed({buffer.data(), size}, out, [this](std::string_view payload) {
    heard_.emplace_back(payload);
    return Result<void>();
  });
  EXPECT_TRUE(fed) << fed.error().text;
  if (!out.empty()) boost::asio::write(socket_, boost::asio::buffer(out), error);
  return static_cast<bool>(fed);
}

std::optional<wire::FromMbatchd> Talk::hear(milliseconds patience) {
  const auto payload = hear_payload(patience);
  if (!payload) return std::nullopt;
  wire::FromMbatchd message;
  EXPECT_TRUE(message.ParseFromString(*payload));
  return message;
}

std::optional<std::string> Talk::hear_payload(milliseconds patience) {
  const auto until = steady_clock::now() + patience;
  while (heard_.empty())
    if (!read(until)) return std::nullopt;
  auto message = std::move(heard_.front());
  heard_.pop_front();
  return message;
}

}  // namespace rollcall::mbatchd::test
