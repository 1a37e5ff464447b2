// Elim: one elim of this host: its file, its state, its keeper while it runs, and its output.
//
// It carries out the effects of elim_life. It owns the keeper's descriptors and reads them at most every kReadPause. It does not
// know the other elims: the values go into the merge that they share.
#pragma once

#include <sys/resource.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/event_pump.hpp"
#include "common/wire/load.pb.h"
#include "elim/melim/elim_keeper.hpp"
#include "elim/melim/elim_log.hpp"
#include "elim/melim/server_dir.hpp"
#include "elim/policy/load/output_limits.hpp"
#include "elim/policy/melim/elim_life.hpp"
#include "elim/policy/melim/elim_merge.hpp"
#include "elim/policy/melim/elim_orders.hpp"
#include "elim/policy/melim/line_cutter.hpp"
#include "elim/policy/melim/said_once.hpp"

namespace rollcall::melim {

// Shared by all elims of a host; it outlives them.
struct Surroundings {
  boost::asio::io_context& loop;
  std::function<void()> happened;  // an elim has handled an event: MELIM checks its elims soon
  rlimit open_files;               // an elim's, as LIM gave it to MELIM
  ElimOrders orders{};
  ElimNames names{};
  ElimMerge merge{};
  ElimLog log{};
  std::vector<char> buffer = std::vector<char>(load::kReadBytes);
  bool states_changed = false;  // an ElimState is to be reported
  bool keeper_killed = false;   // its processes have lost their keeper
};

class Elim {
 public:
  Elim(std::string name, FileIdentity identity, Surroundings& around, TimePoint now);

  const std::string& name() const { return name_; }
  std::string path() const { return around_.orders.server_dir + "/" + name_; }
  const FileIdentity& identity() const { return identity_; }
  void set_identity(const FileIdentity& identity) { identity_ = identity; }
  bool retired() const { return life_.phase == Phase::retired; }
  // It is ended for good, and the file must not be run.
  bool leaving() const { return life_.phase == Phase::ending && life_.next == Next::retire; }

  void feed(const Event& event, TimePoint now);

  void pass_time(TimePoint now);
  // Reads the keeper's messages and, where the gate is open, the elim's output.
  void listen(TimePoint now);
  std::optional<TimePoint> next_deadline(TimePoint now) const;

  // The keeper's pid, which MELIM must not take for a stray; -1: none.
  pid_t keeper_pid() const { return keeper_ ? keeper_->process.pid() : -1; }
  void describe(wire::ElimState& state) const;

 private:
  enum class Stream { output, errors };

  void take(const Event& event, TimePoint now);
  void act(const Start&);
  void act(const End&);
  void act(const Say& e);
  void act(const SayRest& e);

  void read_stream(Stream stream, TimePoint now);
  void read_all(TimePoint now);
  bool take_bytes(Stream stream, std::string_view bytes, TimePoint now);
  void take_line(std::string_view line, LineCutter::Kind kind, TimePoint now);
  void take_fault(const Fault& fault, std::string_view line);
  void take_error_line(std::string_view line, TimePoint now);
  void take_keeper_words(TimePoint now);
  void keeper_ended(int wait_status, TimePoint now);
  void end(const ExitStatus& status, TimePoint now);
  void close_keeper(TimePoint now);
  void say(const std::string& text) { around_.log.say(name_ + ": " + text); }
  io::Descriptor& descriptor(Stream stream) {
    return stream == Stream::output ? keeper_->output : keeper_->errors;
  }
  DescriptorWatch& watch(Stream stream) {
    return stream == Stream::output ? keeper_->output_watch : keeper_->errors_watch;
  }

  std::string name_;
  FileIdentity identity_;
  Surroundings& around_;
  Life life_;
  EventPump<Event> pump_;
  std::optional<Keeper> keeper_;
  std::optional<std::string> start_failure_;  // reported here, since there is no keeper
  bool deaf_ = false;                         // it is being ended for its output: further output is ignored
  LineCutter output_{kLineLimit};
  LineCutter errors_{kLineShown};
  load::FloodGate gate_;
  load::LineBudget error_lines_{100, std::chrono::seconds(10)};
  load::LineBudget debug_lines_{1000, std::chrono::milliseconds(100)};
  SaidOnce said_;
  std::uint64_t refused_ = 0;
  std::string last_error_;
};

}  // namespace rollcall::melim
