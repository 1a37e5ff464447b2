// TaskRelay: the sockets round common/wire/relay.hpp: where the TaskStarters of a job on this host find their relay (its shepherd, or
// the process that the first of them starts), and its connections to their pams.
//
// It listens on an abstract Unix socket and accepts processes of our user only. If it cannot listen, TaskStarters dial pam
// themselves, as they do when it is gone. Pam and the relay prove themselves to each other by a key that TaskStarters give it
// (io::relay_key()); it never has the user's own key. A TaskStarter that has said its last word hears from it when that word is
// in the connection to pam, where a killed relay cannot lose it any more, and pam has said something there: before that it may
// give the connection up unread.
#pragma once

#include <poll.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/io/descriptor.hpp"
#include "common/io/pam_dial.hpp"
#include "common/io/secure_channel.hpp"
#include "common/wire/relay.hpp"

namespace rollcall::io {

class TaskRelay {
 public:
  // Call it as the job's user.
  void listen(const std::string& name);
  // The same with a socket that listens already.
  void serve(Descriptor listener);
  // The job's directory on this host, for who asks for it.
  void set_directory(std::string directory) { relay_.set_directory(std::move(directory)); }
  // "" : there is none.
  const std::string& name() const { return name_; }

  void add_to(std::vector<pollfd>& fds);
  void turn(const std::vector<pollfd>& fds, TimePoint now);
  std::optional<TimePoint> next_deadline() const;
  // No TaskStarter is here, and all that they said has left.
  bool idle() const;
  // It has a conversation with a pam.
  bool has_pams() const { return !pams_.empty(); }

 private:
  static constexpr std::size_t kNotPolled = SIZE_MAX;
  struct Starter {
    Descriptor socket;
    std::string unsent;
    bool leaving = false;  // it ends when it has read what is unsent
    std::size_t slot = kNotPolled;
  };
  struct Pam {
    Key key{};  // until the conversation has begun
    std::optional<PamDial> dial;
    Descriptor socket;
    std::optional<SecureChannel> talk;
    bool answers = false;  // it has said something in it
    std::string unsent;
    std::size_t slot = kNotPolled;
    std::vector<Descriptor> ended;  // of TaskStarters whose last words may not have left yet
  };

  void accept_some();
  void turn_starter(wire::StarterId id, Starter& starter, short ready);
  void turn_pam(wire::PamId id, Pam& pam, const std::vector<pollfd>& fds);
  bool read_starter(wire::StarterId id, Starter& starter);
  bool write_starter(wire::StarterId id, Starter& starter);
  bool read_pam(wire::PamId id, Pam& pam);
  bool write_pam(wire::PamId id, Pam& pam);
  bool feed_pam(wire::PamId id, Pam& pam, std::string_view bytes);
  void begin_talk(Pam& pam, Descriptor socket);
  void lose(wire::PamId id);
  void write_pams();
  void carry_out(const wire::Relay::Effects& effects);
  void carry_out(const wire::relay::Dial& e);
  void carry_out(const wire::relay::Give& e);
  void carry_out(const wire::relay::LetGo& e);
  void carry_out(const wire::relay::HangUp& e);

  std::string name_;
  Descriptor listener_;
  std::size_t slot_ = kNotPolled;
  TimePoint now_;
  std::optional<TimePoint> accept_again_;  // no descriptor was left
  wire::Relay relay_;
  std::map<wire::StarterId, Starter> starters_;
  std::map<wire::PamId, Pam> pams_;
  wire::StarterId last_starter_ = 0;
  wire::StarterId next_read_ = 0;  // whose turn to be read is first
};

}  // namespace rollcall::io
