// TaskRelay: the sockets round res/policy/relay.hpp: where the TaskStarters of a job on this host find their shepherd, and its
// connections to their pams.
//
// It listens on an abstract Unix socket and accepts processes of the job's user only. The name is in the environment of the job
// and of its tasks (ROLLCALL_RELAY). If it cannot listen there is no name, and TaskStarters dial pam themselves, as they do when
// the shepherd is gone.
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
#include "common/wire/res.pb.h"
#include "res/policy/relay.hpp"
#include "res/shepherd/pam_dial.hpp"

namespace rollcall::res {

class TaskRelay {
 public:
  // Call it as the job's user.
  void listen(const wire::JobOrder& order);
  // "" : there is none.
  const std::string& name() const { return name_; }

  void add_to(std::vector<pollfd>& fds);
  void turn(const std::vector<pollfd>& fds, TimePoint now);
  std::optional<TimePoint> next_deadline() const;

 private:
  static constexpr std::size_t kNotPolled = SIZE_MAX;
  struct Starter {
    io::Descriptor socket;
    std::string unsent;
    bool leaving = false;  // it ends when it has read what is unsent
    std::size_t slot = kNotPolled;
  };
  struct Pam {
    std::optional<PamDial> dial;
    io::Descriptor socket;
    std::string unsent;
    std::size_t slot = kNotPolled;
  };

  void accept_some();
  void turn_starter(StarterId id, Starter& starter, short ready);
  void turn_pam(PamId id, Pam& pam, const std::vector<pollfd>& fds);
  bool read_starter(StarterId id, Starter& starter);
  bool write_starter(StarterId id, Starter& starter);
  bool read_pam(PamId id, Pam& pam);
  bool write_pam(PamId id, Pam& pam);
  void write_pams();
  void carry_out(const Relay::Effects& effects);
  void carry_out(const relay::Dial& e);
  void carry_out(const relay::Give& e);
  void carry_out(const relay::LetGo& e);
  void carry_out(const relay::HangUp& e);

  std::string name_;
  io::Descriptor listener_;
  std::size_t slot_ = kNotPolled;
  TimePoint now_;
  std::optional<TimePoint> accept_again_;  // no descriptor was left
  Relay relay_;
  std::map<StarterId, Starter> starters_;
  std::map<PamId, Pam> pams_;
  StarterId last_starter_ = 0;
};

}  // namespace rollcall::res
