// Engine: the interface of what runs jobs on hosts, with its orders (start, signal, release) and its reports.
//
// The Book gives the orders and gets the reports. What runs jobs (at present RES: sched/mbatchd/res_engine.hpp) keeps the promises
// below. mbatchd's policy uses no words of a particular engine: tests/unit/architecture holds that.
//
// What an engine promises:
//   * an attempt is run at most once, however often its Start comes; the engine's knowledge of it survives the engine's death;
//   * an attempt whose Start has wait_for_go is written to disk, reported with Prepared, and not run before its Go comes. Until
//     then a Release takes it back. A host that reports HostCame without knows_go runs each Start at once;
//   * a Go that was on its way when the host disconnected is lost: HostCame then names the attempt as prepared, and it stays so;
//   * after HostCame, orders for the host arrive there in their order until it disconnects; other orders are dropped. HostCame
//     names every attempt that the host holds: running, or over and not acknowledged;
//   * Over, and PostOver after it, are reported again after each HostCame until they are acknowledged. An order about an
//     unknown attempt is answered with Over, never_seen;
//   * a Signal whose number is not larger than that of the attempt's last Signal is ignored, as done before;
//   * orders are fenced by the term: those of an older mbatchd that is still alive are refused.
//
// Another cluster is an engine too, with itself as its one host ("@cluster", HostId). It promises the same, and tells of a forwarded
// job with Elsewhere in place of Begun, Running, Stopped and Resumed. It begins a job without a Go, so a Release is a question there:
// it is answered with Over (withdrawn), or with Elsewhere where the job has started. docs/decisions/0090.
//
// A part of a job on hosts of several clusters has no first host here: a release of it is answered with Gone, when nothing of it is left.
// docs/decisions/0106.
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
  std::vector<wire::ExecHost> hosts;              // this host first
  wire::Limits limits;                            // effective
  std::string queue, job_starter, queue_pre_exec, queue_post_exec;
  std::string pre_exec, post_exec;       // replace those of `asked`: the job's, else its profile's
  std::vector<std::string> environment;  // NAME=VALUE words, added to those of `asked`
  int nice = 0;
  conf::JobControls controls;
  std::string effective_resreq;
  std::string cluster;
  std::string gpus;  // CUDA_VISIBLE_DEVICES of this host
  std::int64_t submit_us = 0;
  std::uint64_t requested_memory_kb = 0;  // rusage[mem]; 0: none
  bool mail_report_only = false;          // LSB_JOB_REPORT_MAIL=N: no report
  bool rerunnable = false;                // bsub -r, else the profile's or the queue's
  bool wait_for_go = false;    // no part of it may run before Engine::go(); only for hosts with knows_go
  std::string from_cluster;    // of a job that was forwarded to this cluster: by which one
  std::uint64_t forward = 0;   // to another cluster: the number of the forward; `queue` is that cluster's
  Duration usage_interval{0};  // between reports of its usage; 0: the host's default
};
// To each other host: tasks of this job may be started there.
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
    expected,  // for tasks of a job whose first host is another one
    prepared,  // its order is on disk, its Go has not arrived
    starting,
    running,
    stopped,
    over,  // Over follows
  };
  Attempt attempt;
  State state = State::expected;
  bool first_host = false;
  bool lent = false;  // under grants of leases
};
// The host has connected, for the first time or again: orders reach it from now on.
struct HostCame {
  std::vector<Held> jobs;
  bool knows_go = false;  // it reports Prepared, and runs an attempt only after its Go
  // Its disk is new, so it has lost all earlier orders: an attempt that had its Go may have run.
  bool blank = false;
};
// The orders (Start or Expect) are on the host's disk.
struct Prepared {
  std::vector<Attempt> attempts;
};
// The host cannot take the order: an Expect, or a Start that waits for its Go.
struct NotPrepared {
  Attempt attempt;
  std::string why;
};
// Nothing of the attempts is left on the host: told in answer to a release of a part.
struct Gone {
  std::vector<Attempt> attempts;
};
// The part of the attempt on this borrowed host is over, or was not accepted, and the job is not.
struct PartOver {
  Attempt attempt;
  std::string why;
  bool recalled = false;  // its slots were taken back or lost: the job may start again
};
// The cluster of this borrowed host has told how each part of our jobs stands that it has.
struct PartsTold {};
// The first host has got the Go and begins the job.
struct Begun {
  std::vector<Attempt> attempts;
};
// Directories of ended jobs remain on the host; an administrator has to remove them.
struct LeftBehind {
  std::uint32_t directories = 0;  // 0: they are gone
  std::string place;              // where they are
  std::string last;               // the last of them, and its contents; "": unknown
};
// The host holds orders of a mbatchd with another store: it is refused until an administrator decides.
struct NotOurs {
  std::string why;  // one line
};
// An interactive job waits for its bsub to connect to `stream`.
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
// The cluster of this borrowed host has carried out the orders for the attempt up to this number.
struct CarriedOut {
  Attempt attempt;
  std::uint64_t number = 0;
};
// Usage on this host alone.
struct Used {
  Attempt attempt;
  wire::JobUsage usage;
};
// The job was stopped, by an order or on the host itself; Resumed likewise.
struct Stopped {
  Attempt attempt;
};
struct Resumed {
  Attempt attempt;
};
// Of an attempt on a borrowed host: its own cluster does not hear of the host, or hears of it again.
struct Unheard {
  Attempt attempt;
};
struct HeardAgain {
  Attempt attempt;
  bool stopped = false;
};
struct Over {
  enum class How {
    ended,            // exit_status says how
    pre_exec_failed,  // no part of the job ran; exit_status is that of the pre-execution command
    not_started,      // no part of the job ran; `why` is the reason
    supervisor_lost,  // the job's supervisor on the host was killed, and the job with it
    host_restarted,   // the host went down under the job
    never_seen,       // the host knows no such attempt
    refused,          // another cluster does not accept it: no part of the job ran
    withdrawn,        // another cluster gives it back before it started
  };
  Attempt attempt;
  How how = How::ended;
  std::int32_t exit_status = 0;  // status of wait(2): if the job's shell died by signal n, 128+n << 8
  std::int32_t term_reason = 0;  // TERM_*, if the engine ended it
  std::int64_t end_us = 0;
  std::string why;
  bool post_follows = false;
  bool cwd_missing = false;
  std::optional<wire::JobUsage> usage;
  std::int64_t run_s = 0;                        // of a job that another cluster ran
  std::optional<std::int64_t> took_s = {};       // likewise: from its begin to its end
  std::optional<std::int64_t> ended_s_ago = {};  // likewise: from its end until now
  std::optional<wire::JobElsewhere> there = {};  // likewise: the job as it told it with the end
  std::optional<wire::RemoteSlots> figures =
      {};  // withdrawn: of the queue that gives it back; none: not known
  // pre_exec_failed, not_started, withdrawn: the borrowed host of the job that is to be avoided; "": its first one.
  std::string due_to = {};
};
struct PostOver {
  Attempt attempt;
  bool failed = false;
};
// Another cluster has accepted the attempt, and this is how it stands there.
struct Elsewhere {
  Attempt attempt;
  wire::JobElsewhere job;
};

}  // namespace report

using HostReport = std::variant<report::HostCame, report::Prepared, report::NotPrepared, report::Begun,
                                report::Ready, report::Running, report::Used, report::Stopped,
                                report::Resumed, report::Over, report::PostOver, report::LeftBehind,
                                report::NotOurs, report::Elsewhere, report::Gone, report::PartOver,
                                report::PartsTold, report::Unheard, report::HeardAgain, report::CarriedOut>;

// Orders are given after the commit of their turn. sched/mbatchd/engine.hpp brings the reports to the Book.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual void start(const std::string& host, order::Start order) = 0;
  virtual void expect(const std::string& host, const order::Expect& order) = 0;
  // All hosts have prepared the attempt: `host`, the first one, runs it.
  virtual void go(const std::string& host, const Attempt& attempt) = 0;
  virtual void signal(const std::string& host, const order::Signal& order) = 0;
  // mbatchd has stored the attempt's reports, or does not know the job: the host may forget the attempt.
  virtual void acknowledge(const std::string& host, const Attempt& attempt) = 0;
  // To another host than the first: the job is over, end the rest of it there. To any host: takes back an attempt that waits for
  // its Go.
  virtual void release(const std::string& host, const Attempt& attempt) = 0;
};

}  // namespace rollcall::sched
