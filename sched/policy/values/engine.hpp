// Engine: how the processes of jobs are started, signalled and watched on their hosts: the words for it, and the interface of
// what does it.
//
// The Book gives the orders and hears the reports; whatever runs jobs (RES now: sched/mbatchd/res_engine.hpp) keeps the promises
// below. No engine's own words are used on this side of it: tests/unit/architecture holds that.
//
// What an engine promises:
//   * an attempt is run at most once, however often its Start comes; what is held of it survives the engine's own death;
//   * an attempt whose Start has wait_for_go is written to disk, reported with Prepared, and not run before its Go comes. Until
//     then a Release takes it back. A host that reports HostCame without knows_go runs each Start at once;
//   * a Go that was on its way when the host went is lost: HostCame then names the attempt as prepared, and it stays so;
//   * after HostCame, orders for the host arrive there in their order, until the host has gone; others are dropped. HostCame
//     names every attempt that the host holds, running or over and not acknowledged;
//   * Over, and PostOver after it, are reported again after each HostCame until they are acknowledged. An order about an
//     attempt of which nothing is known is answered with Over, never_seen;
//   * a Signal whose number is not larger than the last one's of this attempt was done already;
//   * orders are this mbatchd's: what an older mbatchd, somehow alive, orders after it is refused.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/conf/lsb/values.hpp"
#include "common/wire/stream.pb.h"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched {

// One dispatch of a job: JobRecord.attempt.
struct Attempt {
  JobKey job;
  std::uint64_t number = 0;
  friend auto operator<=>(const Attempt&, const Attempt&) = default;
};
inline std::string text(const Attempt& attempt) {
  return text(attempt.job) + " attempt " + std::to_string(attempt.number);
}

namespace order {

// To the job's first host.
struct Start {
  Attempt attempt;
  std::shared_ptr<const wire::Submission> asked;  // with its script and its environment
  std::vector<wire::ExecHost> hosts;              // this one first
  wire::Limits limits;                            // effective
  std::string queue, job_starter, queue_pre_exec, queue_post_exec;
  std::string pre_exec, post_exec;       // instead of those of `asked`: the job's, else its profile's
  std::vector<std::string> environment;  // NAME=VALUE words that come to those of `asked`
  int nice = 0;
  conf::JobControls controls;
  std::string effective_resreq;
  std::string cluster;
  std::string gpus;  // CUDA_VISIBLE_DEVICES of this host
  std::int64_t submit_us = 0;
  std::uint64_t requested_memory_kb = 0;  // rusage[mem]; 0: none
  bool mail_report_only = false;          // LSB_JOB_REPORT_MAIL=N: no report
  bool wait_for_go = false;               // nothing of it runs before Engine::go(); the host knows it
  Duration usage_interval{0};             // how often its hosts tell its usage
};
// To each other host: tasks of this job may come.
struct Expect {
  Attempt attempt;
  std::string user;
  std::uint32_t uid = 0;
  std::vector<wire::ExecHost> hosts;
  wire::Limits limits;  // effective
  std::string gpus;
  Duration usage_interval{0};
};
// To every host of the job: a signal, a stop, an end, other limits.
struct Signal {
  Attempt attempt;
  wire::SentSignal sent;
  std::uint32_t suspend_reasons = 0;  // bits of SuspendReason, as the job has them now
};

}  // namespace order

namespace report {

struct Held {
  enum class State {
    expected,  // another host's job
    prepared,  // its order is on disk, and its Go has not come
    starting,
    running,
    stopped,
    over,  // Over follows
  };
  Attempt attempt;
  State state = State::expected;
  bool first_host = false;
};
// The host is there, for the first time or again: orders reach it from now on.
struct HostCame {
  std::vector<Held> jobs;
  bool knows_go = false;  // it reports Prepared, and runs an attempt only when told to
  // Its disk is new, so that it has forgotten what it was told before: an attempt that it had a Go for may have run.
  bool blank = false;
};
// The order is on the host's disk: to run there, or for tasks to come.
struct Prepared {
  std::vector<Attempt> attempts;
};
// The host cannot take the order. Of another host than the first, or of a Start that waits for its Go.
struct NotPrepared {
  Attempt attempt;
  std::string why;
};
// The first host has had the Go and begins the job.
struct Begun {
  std::vector<Attempt> attempts;
};
// Directories of jobs that are over stay there until an administrator removes them.
struct LeftBehind {
  std::uint32_t directories = 0;  // 0: none any more
  std::string place;              // where they are
  std::string last;               // the last of them, and what is in it; "": not known
};
// The host is there, and has had orders of another store than ours: it is not taken before an administrator says so.
struct NotOurs {
  std::string why;  // one line
};
// An interactive job awaits its bsub here.
struct Ready {
  Attempt attempt;
  wire::StreamPlace stream;
};
struct Running {
  Attempt attempt;
  std::int32_t pid = 0, pgid = 0;
  std::uint32_t uid = 0;
  std::string user, home, cwd;
};
// Of this host.
struct Used {
  Attempt attempt;
  wire::JobUsage usage;
};
// By itself, or as it was ordered.
struct Stopped {
  Attempt attempt;
};
struct Resumed {
  Attempt attempt;
};
struct Over {
  enum class How {
    ended,            // exit_status says how
    pre_exec_failed,  // nothing of the job ran; exit_status is the pre-execution's
    not_started,      // nothing of the job ran; `why` says what kept it
    supervisor_lost,  // what looked after the job there was killed, and the job was ended with it
    host_restarted,   // the host went down under the job
    never_seen,       // there is no trace of it
  };
  Attempt attempt;
  How how = How::ended;
  std::int32_t exit_status = 0;  // the word of wait(2): death by signal n of the job's shell is 128+n << 8
  std::int32_t term_reason = 0;  // TERM_*, where the engine ended it
  std::int64_t end_us = 0;
  std::string why;
  bool post_follows = false;
  bool cwd_missing = false;
  std::optional<wire::JobUsage> usage;
};
struct PostOver {
  Attempt attempt;
  bool failed = false;
};

}  // namespace report

using HostReport =
    std::variant<report::HostCame, report::Prepared, report::NotPrepared, report::Begun, report::Ready,
                 report::Running, report::Used, report::Stopped, report::Resumed, report::Over,
                 report::PostOver, report::LeftBehind, report::NotOurs>;

// What runs jobs. An order is given after the commit that it belongs to. How reports come to the Book is the shell's
// (sched/mbatchd/engine.hpp).
class Engine {
 public:
  virtual ~Engine() = default;
  virtual void start(const std::string& host, order::Start order) = 0;
  virtual void expect(const std::string& host, const order::Expect& order) = 0;
  // All hosts of the attempt have prepared it: this one, the first, runs it.
  virtual void go(const std::string& host, const Attempt& attempt) = 0;
  virtual void signal(const std::string& host, const order::Signal& order) = 0;
  // mbatchd has what this attempt reported, or does not know the job: nothing of it need be kept.
  virtual void acknowledge(const std::string& host, const Attempt& attempt) = 0;
  // Another host than the first: the job is over, what is left of it here is to end. Any host: an attempt that waits for its
  // Go is taken back.
  virtual void release(const std::string& host, const Attempt& attempt) = 0;
};

}  // namespace rollcall::sched
