// The client's end of a stream against a shepherd that is told what to do.
#include "common/io/stream_client.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <thread>

#include "common/io/secure_channel.hpp"
#include "common/wire/frame.hpp"
#include "tests/io/common/cut_silently.hpp"
#include "tests/io/common/fake_daemon.hpp"

using namespace rollcall;
using namespace rollcall::io;
using rollcall::io::test::cut_silently;
using rollcall::testing::FakeDaemon;
using ::testing::HasSubstr;

namespace {

using How = StreamEnd::How;
using End = rollcall::testing::FakeEnd<SecureChannel>;
const Key kKey{1, 2, 3};

FakeDaemon::Serve serve(std::function<void(End&)> talk, Key key = kKey) {
  return [talk = std::move(talk), key](int socket) {
    End end(socket, SecureChannel::pam(key, random_nonce(), random_instance()));
    talk(end);
  };
}

StreamOrder order(int port, bool input = false) {
  StreamOrder one;
  one.place.set_host("127.0.0.1");
  one.place.set_port(static_cast<unsigned>(port));
  one.place.set_key(std::string(kKey.begin(), kKey.end()));
  one.input = input;
  return one;
}

wire::FromStream output(std::string bytes) {
  wire::FromStream message;
  message.set_output(std::move(bytes));
  return message;
}
wire::FromStream over(int wait_status) {
  wire::FromStream message;
  message.mutable_over()->set_wait_status(wait_status);
  return message;
}

// Descriptor `which` is a pipe's end while it lives.
class Piped {
 public:
  Piped(int which, bool reads) : which_(which), kept_(dup(which)) {
    EXPECT_EQ(pipe(ends_), 0);
    dup2(ends_[reads ? 0 : 1], which);
    close(ends_[reads ? 0 : 1]);
    ends_[reads ? 0 : 1] = -1;
  }
  ~Piped() {
    restore();
    for (const int end : ends_) close(end);
  }
  void restore() {
    if (kept_ < 0) return;
    dup2(kept_, which_);
    close(kept_);
    kept_ = -1;
  }
  void put(const std::string& text) {
    EXPECT_EQ(write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void finish() { close(std::exchange(ends_[1], -1)); }
  std::string all() {
    restore();
    std::string text;
    char bytes[4096];
    for (ssize_t count; (count = read(ends_[0], bytes, sizeof bytes)) > 0;)
      text.append(bytes, static_cast<std::size_t>(count));
    return text;
  }

 private:
  int which_, kept_;
  int ends_[2];
};

TEST(StreamClient, PassesOutputAndTellsTheEnd) {
  FakeDaemon shepherd({serve([](End& end) {
    EXPECT_TRUE(end.next<wire::ToStream>().has_begin());
    end.send(output("hello "));
    end.send(output("there"));
    end.send(over(7 << 8));
    end.hear_out();
  })});
  Piped standard_output(1, false);
  const auto ends = run_streams({order(shepherd.port())}, {});
  EXPECT_EQ(standard_output.all(), "hello there");
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].how, How::over);
  EXPECT_EQ(exit_code_of(ends[0]), 7);
}

// The other end of a socket of our own: frames as they are, no key.
class Carrier {
 public:
  Carrier() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_), 0); }
  ~Carrier() { close(ends_[0]); }
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  int client() const {
    fcntl(ends_[1], F_SETFL, O_NONBLOCK);
    return ends_[1];
  }
  void tell(const wire::FromStream& message) const {
    std::string frame;
    wire::append_frame(frame, message.SerializeAsString());
    EXPECT_EQ(send(ends_[0], frame.data(), frame.size(), 0), static_cast<ssize_t>(frame.size()));
  }
  // All that was said until the client closed its end.
  std::vector<wire::ToStream> heard() const {
    std::vector<wire::ToStream> messages;
    wire::FrameDecoder frames;
    char room[4096];
    for (ssize_t size; (size = recv(ends_[0], room, sizeof room, 0)) > 0;)
      EXPECT_TRUE(frames.feed(
          {room, static_cast<std::size_t>(size)}, [] { return wire::kFrameLimit; },
          [&](std::string_view payload) -> Result<void> {
            EXPECT_TRUE(
                messages.emplace_back().ParseFromArray(payload.data(), static_cast<int>(payload.size())));
            return {};
          }));
    return messages;
  }

 private:
  int ends_[2] = {-1, -1};
};

StreamOrder carried(const Carrier& carrier) {
  StreamOrder one;
  one.place.set_host("e1@east");
  one.carrier = carrier.client();
  return one;
}

TEST(StreamClient, SpeaksToACarrierAsToAShepherd) {
  const Carrier carrier;
  carrier.tell(output("from elsewhere"));
  carrier.tell(over(3 << 8));
  Piped standard_output(1, false);
  const auto ends = run_streams({carried(carrier)}, {});
  EXPECT_EQ(standard_output.all(), "from elsewhere");
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(exit_code_of(ends[0]), 3);
  const auto heard = carrier.heard();
  ASSERT_FALSE(heard.empty());
  EXPECT_TRUE(heard.front().has_begin());
}

TEST(StreamClient, SaysInOneLineWhyACarrierCarriesNoMore) {
  const Carrier carrier;
  wire::FromStream lost;
  lost.mutable_lost()->set_why("cluster east: the connection ended");
  carrier.tell(lost);
  const auto ends = run_streams({carried(carrier)}, {});
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].how, How::lost);
  EXPECT_EQ(ends[0].why, "e1@east: cluster east: the connection ended");
}

// Two processes, the host of one is cut off once both run. What the other's shepherd is told to signal; the ends.
struct AfterCut {
  std::vector<int> signals;
  std::vector<StreamEnd> ends;
};
AfterCut cut_one_of_two(StreamSettings settings) {
  AfterCut result;
  int cut = -1;
  FakeDaemon gone({[&](int socket) {
    End end(socket, SecureChannel::pam(kKey, random_nonce(), random_instance()));
    const auto patience = end.next<wire::ToStream>().begin().patience();
    EXPECT_EQ(patience.silence_ms(), 2000u);
    cut = dup(socket);
    cut_silently(socket);
  }});
  FakeDaemon other({serve([&](End& end) {
    EXPECT_TRUE(end.next<wire::ToStream>().has_begin());
    if (settings.after_cut == StreamSettings::AfterCut::end_others)
      result.signals.push_back(end.next<wire::ToStream>().signal());
    end.send(over(0));
    end.hear_out();
  })});
  result.ends = run_streams({order(gone.port()), order(other.port())}, settings);
  close(cut);
  return result;
}

TEST(StreamClient, LosesAProcessWhoseHostIsSilentForLongerThanItsPatience) {
  StreamSettings settings;
  settings.silence = std::chrono::seconds(2);
  const auto after = cut_one_of_two(settings);
  ASSERT_EQ(after.ends.size(), 2u);
  EXPECT_EQ(after.ends[0].how, How::lost);
  EXPECT_TRUE(after.ends[0].cut);
  EXPECT_EQ(after.ends[1].how, How::over);
  EXPECT_FALSE(after.ends[1].cut);
}

TEST(StreamClient, EndsTheOtherProcessesAfterACutWhereItIsTold) {
  StreamSettings settings;
  settings.silence = std::chrono::seconds(2);
  settings.after_cut = StreamSettings::AfterCut::end_others;
  const auto after = cut_one_of_two(settings);
  EXPECT_THAT(after.signals, ::testing::ElementsAre(SIGTERM));
  ASSERT_EQ(after.ends.size(), 2u);
  EXPECT_TRUE(after.ends[0].cut);
  EXPECT_EQ(after.ends[1].how, How::over);
}

// A port whose queue is full: the kernel drops requests for a connection until the waiting ones are accepted.
class FullPort {
 public:
  FullPort() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(listener_, place(), sizeof address_);
    listen(listener_, 0);
    socklen_t size = sizeof address_;
    getsockname(listener_, place(), &size);
    for (int i = 0; i < 2; ++i) {
      fillers_.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      connect(fillers_.back(), place(), size);
    }
  }
  ~FullPort() {
    for (const int fd : fillers_) close(fd);
    close(listener_);
  }
  int port() const { return ntohs(address_.sin_port); }
  // The first connection that is not a filler.
  int next() {
    for (const int fd : fillers_) close(fd);
    fillers_.clear();
    while (true) {
      const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      char byte;
      if (connection < 0 || recv(connection, &byte, 1, MSG_PEEK) > 0) return connection;
      close(connection);
    }
  }

 private:
  sockaddr* place() { return reinterpret_cast<sockaddr*>(&address_); }
  int listener_;
  sockaddr_in address_{};
  std::vector<int> fillers_;
};

TEST(StreamClient, BeginsOneProcessWhileTheHostOfAnotherIsSilent) {
  FullPort silent;
  std::thread later;
  FakeDaemon answers({serve([&](End& end) {
    EXPECT_TRUE(end.next<wire::ToStream>().has_begin());
    later = std::thread([&] {
      const int socket = silent.next();
      End first(socket, SecureChannel::pam(kKey, random_nonce(), random_instance()));
      EXPECT_TRUE(first.next<wire::ToStream>().has_begin());
      first.send(over(0));
      first.hear_out();
      close(socket);
    });
    end.send(over(0));
    end.hear_out();
  })});
  const auto ends = run_streams({order(silent.port()), order(answers.port())}, {});
  ASSERT_TRUE(later.joinable());
  later.join();
  EXPECT_EQ(ends[0].how, How::over) << ends[0].why;
  EXPECT_EQ(ends[1].how, How::over) << ends[1].why;
}

TEST(StreamClient, DialsAgainWhereTheConnectionIsClosedBeforeItIsProved) {
  FakeDaemon shepherd({[](int) {}, serve([](End& end) {
                         EXPECT_TRUE(end.next<wire::ToStream>().has_begin());
                         end.send(over(3 << 8));
                         end.hear_out();
                       })});
  const auto ends = run_streams({order(shepherd.port())}, {});
  EXPECT_EQ(ends[0].how, How::over) << ends[0].why;
  EXPECT_EQ(exit_code_of(ends[0]), 3);
}

// A shepherd closes a connection that is not proved in time. Its answer may still arrive, and the proof goes nowhere.
TEST(StreamClient, DialsAgainWhereTheConnectionIsClosedBeforeTheShepherdSpoke) {
  FakeDaemon shepherd(
      {serve([](End& end) { EXPECT_TRUE(end.next<wire::ToStream>().has_begin()); }), serve([](End& end) {
         EXPECT_TRUE(end.next<wire::ToStream>().has_begin());
         end.send(over(0));
         end.hear_out();
       })});
  const auto ends = run_streams({order(shepherd.port())}, {});
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].how, How::over) << ends[0].why;
}

TEST(StreamClient, WhatWasNotStartedIsNeverSuccess) {
  for (const int code : {0, -1, 256, 512}) {
    wire::FromStream message;
    message.mutable_not_started()->set_exit_code(code);
    const auto end = end_of(message);
    ASSERT_TRUE(end);
    EXPECT_EQ(exit_code_of(*end), 1) << code;
  }
  wire::FromStream message;
  message.mutable_not_started()->set_exit_code(127);
  EXPECT_EQ(exit_code_of(*end_of(message)), 127);
}

TEST(StreamClient, GivesBackCreditForWhatWasTaken) {
  static constexpr std::size_t kPiece = 8192;
  FakeDaemon shepherd({serve([](End& end) {
    std::uint64_t credit = end.next<wire::ToStream>().begin().credit();
    ASSERT_GE(credit, kPiece);
    std::size_t sent = 0;
    while (sent < 512 * 1024) {
      while (credit < kPiece) {
        const auto more = end.next<wire::ToStream>();
        ASSERT_GT(more.credit(), 0u) << "no data came, and the credit is used";
        credit += more.credit();
      }
      end.send(output(std::string(kPiece, 'x')));
      credit -= kPiece;
      sent += kPiece;
    }
    end.send(over(0));
    end.hear_out();
  })});
  const int nowhere = open("/dev/null", O_WRONLY);
  const int kept = dup(1);
  dup2(nowhere, 1);
  const auto ends = run_streams({order(shepherd.port())}, {});
  dup2(kept, 1);
  close(kept);
  close(nowhere);
  EXPECT_EQ(ends[0].how, How::over);
}

TEST(StreamClient, SendsInputWithinItsCredit) {
  std::string taken;
  bool input_over = false;
  FakeDaemon shepherd({serve([&](End& end) {
    EXPECT_TRUE(end.next<wire::ToStream>().begin().input());
    wire::FromStream credit;
    for (int i = 0; i < 3; ++i) {
      credit.set_credit(4);
      end.send(credit);
      const std::string input = end.next<wire::ToStream>().input();
      EXPECT_LE(input.size(), 4u);
      taken += input;
    }
    end.send(credit);  // the end of the input is looked for where there is room for more of it
    input_over = end.next<wire::ToStream>().has_input_over();
    end.send(over(0));
    end.hear_out();
  })});
  Piped standard_input(0, true);
  standard_input.put("hello world!");
  standard_input.finish();
  const auto ends = run_streams({order(shepherd.port(), true)}, {});
  EXPECT_EQ(taken, "hello world!");
  EXPECT_TRUE(input_over);
  EXPECT_EQ(ends[0].how, How::over);
}

TEST(StreamClient, PassesSignals) {
  int got = 0;
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, &before);  // in the shepherd's thread as well
  FakeDaemon shepherd({serve([&](End& end) {
    end.next<wire::ToStream>();
    kill(getpid(), SIGUSR2);
    got = end.next<wire::ToStream>().signal();
    end.send(over(SIGUSR2));
    end.hear_out();
  })});
  StreamSettings settings;
  std::vector<int> passed;
  settings.passed_on = [&passed](int signal) { passed.push_back(signal); };
  const auto ends = run_streams({order(shepherd.port())}, settings);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(got, SIGUSR2);
  EXPECT_EQ(passed, std::vector<int>{SIGUSR2});
  EXPECT_EQ(exit_code_of(ends[0]), 128 + SIGUSR2);
}

// `bsub -I job | less`: less takes a page and nothing more, and the user presses Ctrl-C.
TEST(StreamClient, HearsSignalsWhileNobodyReadsItsOutput) {
  static constexpr std::size_t kMuch = 32 * 1024;
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  int reader[2];
  ASSERT_EQ(pipe2(reader, O_CLOEXEC), 0);
  fcntl(reader[1], F_SETPIPE_SZ, 4096);
  int got = 0;
  std::size_t read_behind = 0;
  FakeDaemon shepherd({[&](int socket) {
    const timeval patience{20, 0};
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    End end(socket, SecureChannel::pam(kKey, random_nonce(), random_instance()));
    end.next<wire::ToStream>();
    end.send(output(std::string(kMuch, 'x')));
    // The pipe is full, or about to be: it has room for the eighth part.
    int waiting = 0;
    while (ioctl(reader[0], FIONREAD, &waiting) == 0 && waiting < 4096) std::this_thread::yield();
    kill(getpid(), SIGINT);
    got = end.next<wire::ToStream>().signal();
    char bytes[4096];
    while (read_behind < kMuch)
      read_behind += static_cast<std::size_t>(std::max<ssize_t>(read(reader[0], bytes, sizeof bytes), 0));
    end.send(over(SIGINT));
    end.hear_out();
  }});
  const int kept = dup(1);
  dup2(reader[1], 1);
  const auto ends = run_streams({order(shepherd.port())}, {});
  dup2(kept, 1);
  for (const int fd : {kept, reader[0], reader[1]}) close(fd);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(got, SIGINT);
  EXPECT_EQ(exit_code_of(ends[0]), 128 + SIGINT);
}

TEST(StreamClient, TellsWhatWentWrong) {
  FakeDaemon refuses({serve([](End& end) {
    end.next<wire::ToStream>();
    wire::FromStream message;
    message.mutable_not_started()->set_why("x: No such file or directory");
    message.mutable_not_started()->set_exit_code(127);
    end.send(message);
  })});
  // As a shepherd does, which has one client.
  FakeDaemon leaves({serve([&leaves](End& end) {
    end.next<wire::ToStream>();
    leaves.refuse_further();
  })});
  FakeDaemon stranger({serve([](End& end) { end.receive(); }, Key{9})});
  int closed = 0;
  { closed = FakeDaemon({}).port(); }
  auto wrong = order(closed);
  wrong.place.set_key("short");
  const auto ends = run_streams(
      {order(refuses.port()), order(leaves.port()), order(stranger.port()), order(closed), wrong}, {});
  ASSERT_EQ(ends.size(), 5u);
  EXPECT_EQ(ends[0].how, How::not_started);
  EXPECT_EQ(ends[0].why, "x: No such file or directory");
  EXPECT_EQ(exit_code_of(ends[0]), 127);
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_EQ(ends[i].how, How::lost) << i;
    EXPECT_THAT(ends[i].why, HasSubstr("127.0.0.1: ")) << i;
    EXPECT_EQ(exit_code_of(ends[i]), 255) << i;
  }
}

}  // namespace
