// A daemon's end of a stream against a shepherd that is told what to do.
#include "common/io/stream_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "common/io/secure_channel.hpp"
#include "common/io/side_thread.hpp"
#include "tests/io/common/fake_daemon.hpp"

using namespace rollcall;
using namespace rollcall::io;
using rollcall::testing::FakeDaemon;

namespace {

using End = rollcall::testing::FakeEnd<SecureChannel>;
const Key kKey{1, 2, 3};

FakeDaemon::Serve serve(std::function<void(End&)> talk, Key key = kKey) {
  return [talk = std::move(talk), key](int socket) {
    End end(socket, SecureChannel::pam(key, random_nonce(), random_instance()));
    talk(end);
  };
}

wire::FromStream output(std::string bytes) {
  wire::FromStream message;
  message.set_output(std::move(bytes));
  return message;
}
std::string window(unsigned rows) {
  wire::ToStream message;
  message.mutable_window()->set_rows(rows);
  return message.SerializeAsString();
}

// A call, and all that it says.
struct Caller {
  explicit Caller(int port, std::size_t key_bytes = 32) {
    wire::StreamPlace place;
    place.set_host("127.0.0.1");
    place.set_port(static_cast<unsigned>(port));
    place.set_key(std::string(kKey.begin(), kKey.begin() + static_cast<std::ptrdiff_t>(key_bytes)));
    call = std::make_unique<StreamCall>(
        loop, names, place,
        StreamCall::Handler{[this] { opened = true; },
                            [this](std::string_view payload) -> Result<void> {
                              wire::FromStream message;
                              EXPECT_TRUE(
                                  message.ParseFromArray(payload.data(), static_cast<int>(payload.size())));
                              heard += message.output();
                              return {};
                            },
                            [this](const std::string& why) { ended = why; }});
  }
  template <class Holds>
  void run_until(const Holds& holds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!holds() && std::chrono::steady_clock::now() < until) {
      loop.restart();
      loop.run_for(std::chrono::milliseconds(10));
    }
    EXPECT_TRUE(holds()) << "heard " << heard.size() << " bytes, ended: " << ended;
  }
  boost::asio::io_context loop;
  SideThread names{loop, {4, std::chrono::seconds(5)}};
  bool opened = false;
  std::string heard, ended;
  std::unique_ptr<StreamCall> call;
};

TEST(StreamCall, PassesPayloadsInBothDirections) {
  std::atomic<unsigned> rows = 0;
  FakeDaemon shepherd({serve([&](End& end) {
    rows = end.next<wire::ToStream>().window().rows();
    end.send(output("seen"));
    end.hear_out();
  })});
  Caller caller(shepherd.port());
  caller.run_until([&] { return caller.opened; });
  caller.call->send(window(33));
  caller.run_until([&] { return caller.heard == "seen"; });
  EXPECT_EQ(caller.call->unsent(), 0U);
  EXPECT_EQ(rows.load(), 33U);
}

TEST(StreamCall, ReadsNothingWhileItIsPaused) {
  std::atomic<bool> sent = false;
  FakeDaemon shepherd({serve([&](End& end) {
    end.next<wire::ToStream>();
    end.send(output("late"));
    sent = true;
    end.hear_out();
  })});
  Caller caller(shepherd.port());
  caller.run_until([&] { return caller.opened; });
  caller.call->read(false);
  caller.call->send(window(1));
  caller.run_until([&] { return sent.load(); });
  caller.loop.restart();
  caller.loop.poll();
  EXPECT_EQ(caller.heard, "");
  caller.call->read(true);
  caller.run_until([&] { return caller.heard == "late"; });
}

TEST(StreamCall, SaysWhyItHasEnded) {
  FakeDaemon shepherd({serve([](End& end) { end.next<wire::ToStream>(); })});
  Caller caller(shepherd.port());
  caller.run_until([&] { return caller.opened; });
  caller.call->send(window(1));
  caller.run_until([&] { return caller.ended == "the connection was closed"; });
  Caller unkeyed(shepherd.port(), 5);
  unkeyed.run_until([&] { return unkeyed.ended == "found no key of 32 bytes"; });
  EXPECT_FALSE(unkeyed.opened);
}

TEST(StreamCall, OpensNothingWithAWrongKey) {
  FakeDaemon shepherd({serve([](End& end) { end.hear_out(); }, Key{9})});
  Caller caller(shepherd.port());
  caller.run_until([&] { return !caller.ended.empty(); });
  EXPECT_FALSE(caller.opened);
}

TEST(StreamCall, LeavesBehindWhatWasSent) {
  std::atomic<unsigned> rows = 0;
  FakeDaemon shepherd({serve([&](End& end) {
    rows = end.next<wire::ToStream>().window().rows();
    end.hear_out();
  })});
  Caller caller(shepherd.port());
  caller.run_until([&] { return caller.opened; });
  caller.call->send(window(44));
  caller.call->leave();
  caller.call.reset();
  caller.run_until([&] { return rows == 44; });
  EXPECT_EQ(caller.ended, "") << "whoever leaves is told nothing";
}

TEST(StreamCall, MayBeDestroyedByItsHandler) {
  FakeDaemon shepherd({serve([](End& end) {
    end.next<wire::ToStream>();
    end.send(output("one"));
    end.send(output("two"));
    end.hear_out();
  })});
  boost::asio::io_context loop;
  SideThread names(loop, {4, std::chrono::seconds(5)});
  wire::StreamPlace place;
  place.set_host("127.0.0.1");
  place.set_port(static_cast<unsigned>(shepherd.port()));
  place.set_key(std::string(kKey.begin(), kKey.end()));
  int heard = 0;
  std::unique_ptr<StreamCall> call;
  call = std::make_unique<StreamCall>(loop, names, place,
                                      StreamCall::Handler{[&] { call->send(window(1)); },
                                                          [&](std::string_view) -> Result<void> {
                                                            ++heard;
                                                            call.reset();
                                                            return {};
                                                          },
                                                          [](const std::string&) { ADD_FAILURE(); }});
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (heard == 0 && std::chrono::steady_clock::now() < until) {
    loop.restart();
    loop.run_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(heard, 1);
}

}  // namespace
