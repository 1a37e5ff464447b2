// Dialer: finds pam behind one of several addresses, and makes sure that it is pam.
//
// A pam may offer several addresses of its host, of which some lead nowhere, or to another machine. Numeric addresses
// are tried first (no name service is asked), a quarter of a second apart, without giving the earlier ones up; then
// the names. The first that *proves itself* wins. It never waits: inner.cpp's loop polls for it. What a failure
// means is decided in policy/task_life.
//
// The relay of this host is tried before all of them, once: the job's shepherd, or the process that another TaskStarter started
// (host_relay.hpp). Each end asks the kernel whether the other is of its own user; the relay is given the key of this pam's relays, and
// answers with pam's instance when pam has proved itself to it. That it fails says nothing of pam; the addresses are dialed then.
// A process takes the relay's name first and listens a moment later. So a refused connection is tried again until kRelayListens is over.
//
// each address: waiting -> connecting -> handshaking -> reached
//                  \____________\___________\_________-> failed (why)
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/io/descriptor.hpp"
#include "common/io/secure_channel.hpp"
#include "taskstarter/policy/task_life.hpp"

namespace rollcall::taskstarter {

inline constexpr Duration kDialStagger = std::chrono::milliseconds(250);
inline constexpr Duration kConnectLimit =
    std::chrono::seconds(4);  // then it is dialed anew: TCP's own pauses grow
inline constexpr Duration kRelayPatience =
    std::chrono::seconds(10);  // for pam's word through the relay: then the addresses are tried beside it
inline constexpr Duration kRelayListens = std::chrono::seconds(1);      // then nobody will who has its name
inline constexpr Duration kRelayPause = std::chrono::milliseconds(10);  // between two tries meanwhile

struct PamAddress {
  sockaddr_storage address{};
  socklen_t size = 0;
  std::string text;    // as a person would write it, with the port
  bool relay = false;  // the relay of this host: no address of pam's own
};

// A connection to a pam that has proved itself, or to a relay that is joined to it.
struct Reached {
  io::Descriptor socket;
  std::optional<io::SecureChannel> channel;  // none: to the relay, on this host and of our user
  io::Instance instance;                     // which pam it is
  std::string to_send;                       // our own proof, not sent yet: the registration goes with it
  PamAddress address;
};

class Dialer {
 public:
  // `relay`: where it listens; "" : there is none.
  Dialer(const io::Key& key, const std::vector<std::string>& names, std::uint16_t port,
         std::string relay = {});

  // Starts over with every address, or with the one that worked before.
  void start(TimePoint now);
  void start(const PamAddress& known, TimePoint now);

  void add_to(std::vector<pollfd>& fds) const;
  std::optional<TimePoint> next_deadline() const;

  // The state after poll(2) has returned `ready`.
  struct Progress {
    bool answered = false;  // some connection stands
    std::optional<Reached> reached;
    std::optional<DialFailure> failed;  // every address has failed
    struct PutOff {
      PamAddress by;
      Duration wait{0};
    };
    std::optional<PutOff> put_off;  // pam has no room now; nothing is dialed any more
  };
  Progress turn(std::span<const pollfd> ready, TimePoint now);

 private:
  enum class Step { waiting, connecting, handshaking, failed };
  struct Attempt {
    PamAddress to;
    std::string name;  // where it has still to be looked up
    Step step = Step::waiting;
    TimePoint at;  // waiting: begins; connecting: is given up
    DialFailure why = DialFailure::no_answer;
    io::Descriptor socket;
    std::optional<io::SecureChannel> channel;
    std::string to_send;
    std::string hello;   // pam was told
    std::string joined;  // of the relay's first frame, or pam's first
    std::optional<Duration> told_to_wait;
  };

  bool add_relay(TimePoint now);
  void stagger(TimePoint first);
  void begin_due(TimePoint now);
  void begin_relay(TimePoint now);
  void look_up(std::size_t index, TimePoint now);
  void connect(Attempt& attempt, TimePoint now);
  void connected(Attempt& attempt);
  void continue_connect(Attempt& attempt);
  bool continue_handshake(Attempt& attempt);
  bool take_first_answer(Attempt& attempt, std::string_view bytes);
  bool take_handshake(Attempt& attempt, std::string_view bytes);
  bool take_joined(Attempt& attempt, std::string_view bytes);
  std::string asked_of_relay(const Attempt& attempt) const;
  static void fail(Attempt& attempt, DialFailure why);
  std::optional<DialFailure> all_failed() const;
  bool known_already(const PamAddress& address) const;

  io::Key key_;
  std::vector<std::string> names_;
  std::uint16_t port_;
  std::string relay_;  // not tried yet
  TimePoint relay_refuses_at_;
  std::vector<Attempt> attempts_;
  bool answered_ = false;
};

}  // namespace rollcall::taskstarter
