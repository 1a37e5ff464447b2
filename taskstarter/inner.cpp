#include "taskstarter/inner.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

#include "common/io/process_tree.hpp"
#include "taskstarter/complaint.hpp"
#include "taskstarter/dialer.hpp"
#include "taskstarter/messages.hpp"
#include "taskstarter/pam_link.hpp"
#include "taskstarter/policy/task_life.hpp"
#include "taskstarter/task_signals.hpp"

namespace rollcall::taskstarter {
namespace {

// How often the job's clock turns while anything is waited for: so a stop of any length counts as little.
constexpr Duration kTick = std::chrono::milliseconds(250);

Duration monotonic() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

std::string joined(const std::vector<std::string>& names, std::uint16_t port) {
  std::string result;
  for (const auto& name : names) result += (result.empty() ? "" : ", ") + name + ":" + std::to_string(port);
  return result;
}

const char* reason(DialFailure why) {
  switch (why) {
    case DialFailure::refused:
      return "connection refused";
    case DialFailure::stranger:
      return "what answers there does not hold our key";
    case DialFailure::other_pam:
      return "another pam answers there";
    case DialFailure::hung_up:
      return "the connection was closed before pam proved itself";
    case DialFailure::turned_away:
      return "the connection was closed before the task was registered";
    case DialFailure::unknown_host:
      return "no such host";
    case DialFailure::no_answer:
      break;
  }
  return "no answer";
}

class Inner {
 public:
  Inner(const StartingPoint& start, const Options& options, std::span<char* const> words, int signals,
        LevelLink outer, io::JobCgroup cgroup, const io::Key& key, const std::string& relay)
      : start_(start),
        options_(options),
        signals_(signals),
        outer_(std::move(outer)),
        cgroup_(std::move(cgroup)),
        dialer_(key, options.pam_addresses, options.pam_port, relay),
        clock_(monotonic(), kTick) {
    state_.settings = {start.shared_group, start.ignored_signals};
    task_.words = words;
  }

  [[noreturn]] void run() {
    events_.push_back(Began{});
    while (true) {
      handle_events();
      wait();
      // Signals of the terminal are handled before a message of pam, so that they count as delivered.
      take_signals();
      take_words_of_outer();
      take_messages();
      take_progress();
      events_.push_back(TimePassed{});
    }
  }

 private:
  void handle_events() {
    const TimePoint now = clock_.now(monotonic());
    while (!events_.empty()) {
      const Event event = events_.front();
      events_.pop_front();
      for (const Effect& effect : step(state_, event, now))
        std::visit([&](const auto& e) { carry_out(e); }, effect);
    }
  }

  void wait() {
    const TimePoint now = clock_.now(monotonic());
    auto deadline = next_deadline(state_);
    if (const auto dialing = dialer_.next_deadline(); dialing && (!deadline || *dialing < *deadline))
      deadline = dialing;
    int timeout = -1;
    if (deadline) {
      const Duration left = std::clamp(*deadline - now, Duration{0}, kTick);
      timeout = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
    }
    fds_.clear();
    fds_.push_back({signals_, POLLIN, 0});
    fds_.push_back({outer_.fd(), POLLIN, 0});
    if (pam_)
      fds_.push_back({pam_->fd(), static_cast<short>(pam_->wants_to_write() ? POLLIN | POLLOUT : POLLIN), 0});
    dialer_.add_to(fds_);
    poll(fds_.data(), fds_.size(), timeout);
  }

  void take_signals() {
    std::array<signalfd_siginfo, 4> infos;
    bool children = false;
    ssize_t size = 0;
    while ((size = read(signals_, infos.data(), sizeof infos)) > 0) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(size) / sizeof infos[0]; ++i) {
        const auto& info = infos[i];
        if (info.ssi_signo == SIGCHLD)
          children = true;
        else if (info.ssi_code > 0 || static_cast<pid_t>(info.ssi_pid) != getpid())
          events_.push_back(SignalArrived{static_cast<int>(info.ssi_signo), SignalSource::terminal});
      }
    }
    if (children) reap();
  }

  // Changes of the task itself, and of all processes that became our children.
  void reap() {
    int status = 0;
    pid_t pid = 0;
    rusage used;
    std::optional<ExitStatus> ended;
    while ((pid = wait4(-1, &status, WNOHANG | WUNTRACED | WCONTINUED, &used)) > 0) {
      if (WIFEXITED(status) || WIFSIGNALED(status)) add(usage_, used);
      if (pid != task_.pid) continue;
      if (WIFSTOPPED(status)) {
        events_.push_back(TaskStopped{});
      } else if (WIFCONTINUED(status)) {
        events_.push_back(TaskContinued{});
      } else {
        ended = ExitStatus::from_wait(status);
        end_time_us_ = wall_clock_us();
      }
    }
    const bool left = pid == 0;
    if (ended) events_.push_back(TaskExited{*ended, left});
    handle_events();
    if (!wants_descendants(state_)) return;
    events_.push_back(
        DescendantsChanged{left ? static_cast<unsigned>(io::descendants_of(getpid()).size()) : 0U});
  }

  void take_words_of_outer() {
    LevelMessage message;
    while (outer_.fd() >= 0) {
      switch (outer_.receive(message)) {
        case LevelLink::Got::message:
          take(message);
          continue;
        case LevelLink::Got::end:
          outer_ = LevelLink();
          events_.push_back(OuterGone{});
          return;
        case LevelLink::Got::nothing:
          return;
      }
    }
  }

  void take(const LevelMessage& message) {
    if (message.kind == LevelMessage::Kind::parent_gone) {
      parent_end_ = {message.cause, message.value};
      events_.push_back(ParentGone{});
    } else if (message.kind == LevelMessage::Kind::signal) {
      // In a shared process group this process gets the terminal's signals itself.
      if (start_.shared_group && message.source == SignalSource::terminal) return;
      events_.push_back(SignalArrived{message.value, message.source});
    }
  }

  void take_messages() {
    if (!pam_) return;
    const auto ready =
        std::find_if(fds_.begin(), fds_.end(), [&](const pollfd& fd) { return fd.fd == pam_->fd(); });
    if (ready == fds_.end() || ready->revents == 0) return;
    handle_events();  // the signals first
    if (!pam_) return;
    const bool up = pam_->flush() && pam_->receive([&](const wire::FromPam& message) { take(message); });
    if (pam_->delivered()) events_.push_back(Delivered{});
    if (!up) lose_link();
  }

  void take(const wire::FromPam& message) {
    if (message.has_welcome()) {
      tid_ = message.welcome().tid();
      events_.push_back(Welcomed{patience_of(message.welcome())});
    }
    if (message.has_deliver_signal()) {
      const auto& signal = message.deliver_signal();
      if (signal.signo() > 0 && signal.signo() <= 64)
        events_.push_back(SignalArrived{signal.signo(), SignalSource::pam, signal.sequence()});
    }
    if (message.has_end_task())
      events_.push_back(EndRequested{std::chrono::milliseconds(message.end_task().grace_ms())});
    if (message.has_end_orphans()) events_.push_back(OrphansReported{});
  }

  void lose_link() {
    pam_.reset();
    events_.push_back(LinkLost{});
  }

  void take_progress() {
    auto progress = dialer_.turn(fds_, clock_.now(monotonic()));
    if (progress.answered) events_.push_back(Answered{});
    if (progress.failed) events_.push_back(DialFailed{*progress.failed});
    if (progress.put_off) {
      pam_address_ = progress.put_off->by;
      events_.push_back(PutOff{progress.put_off->wait});
    }
    if (!progress.reached) return;
    const io::Instance instance = progress.reached->instance;
    if (instance_ && *instance_ != instance) {
      events_.push_back(DialFailed{DialFailure::other_pam});
      return;
    }
    instance_ = instance;
    const bool relayed = progress.reached->address.relay;
    if (!relayed) pam_address_ = progress.reached->address;
    pam_.emplace(std::move(*progress.reached));
    events_.push_back(Connected{relayed});
  }

  void tell(const wire::FromStarter& message) {
    if (pam_ && !pam_->send(message)) lose_link();
  }

  void tell_last(const wire::FromStarter& message) {
    const bool closes = state_.welcomed;  // once the kernel has it
    if (!pam_) return;
    if (!pam_->send_last(message, closes)) return lose_link();
    if (pam_->delivered()) events_.push_back(Delivered{});
  }

  void carry_out(const Dial&) {
    const TimePoint now = clock_.now(monotonic());
    pam_.reset();
    pam_address_ ? dialer_.start(*pam_address_, now) : dialer_.start(now);
  }

  void carry_out(const StartTask&) {
    io::SpawnPlan plan;
    plan.argv.assign(task_.words.begin(), task_.words.end());
    plan.mask = start_.mask;
    plan.ignore_sigchld = start_.ignored(SIGCHLD);
    plan.own_group = !start_.shared_group;
    plan.parent_death_signal = SIGKILL;
    plan.cgroup = cgroup_.fd();
    task_.start_time_us = wall_clock_us();
    auto spawned = io::spawn(plan);
    if (const auto* error = std::get_if<io::SpawnError>(&spawned);
        error != nullptr &&
        error->stage == io::SpawnStage::cgroup) {  // not allowed to enter what we could make
      cgroup_ = io::JobCgroup::none(std::string("cannot start a task in it: ") + std::strerror(error->error));
      plan.cgroup = -1;
      spawned = io::spawn(plan);
    }
    if (const auto* pid = std::get_if<pid_t>(&spawned)) {
      task_.pid = *pid;
      events_.push_back(TaskStarted{});
    } else {
      task_.failure = std::get<io::SpawnError>(spawned);
      events_.push_back(StartFailed{io::exit_code_of(*task_.failure) == kNotFound});
    }
  }

  void carry_out(const SendRegistration&) {
    const auto message =
        registration(start_, task_, {std::exchange(registered_, true), tid_}, cgroup_.why_none());
    task_.failure ? tell_last(message) : tell(message);
  }
  void carry_out(const SendParentLost&) { tell(parent_lost(start_, parent_end_)); }
  void carry_out(const SendStarterLost&) { tell(starter_lost(start_)); }
  void carry_out(const SendTaskEnded&) {
    tell_last(task_ended(*state_.status, end_time_us_, state_.leftovers, usage_));
  }
  void carry_out(const SignalTask& e) { signal_task(task_.pid, e.signo, start_.shared_group); }
  void carry_out(const SignalDescendants& e) { io::signal_descendants(e.signo); }
  void carry_out(const EndOrphans&) { cgroup_.end_orphans(); }
  void carry_out(const ContinueOuter&) {
    if (getppid() == start_.outer_pid) kill(start_.outer_pid, SIGCONT);
  }

  void carry_out(const Complain& e) {
    const std::string at =
        pam_address_ ? pam_address_->text : joined(options_.pam_addresses, options_.pam_port);
    const std::string task = "the task (pid " + std::to_string(task_.pid) + ")";
    switch (e.what) {
      case Complaint::no_pam:
        return complain(start_.host,
                        "cannot reach pam at " + at + ": " + reason(e.why) +
                            (e.why == DialFailure::stranger ? " (" + key_file_told(options_) + ")" : ""));
      case Complaint::pam_dead:
        return complain(start_.host, "pam at " + at + " is gone (" + reason(e.why) + "): ending " + task);
      case Complaint::pam_silent:
        return complain(start_.host, "pam at " + at + " has not answered for 30 s: ending " + task);
      case Complaint::cannot_execute:
        return complain(start_.host, std::string("cannot ") + io::stage_text(task_.failure->stage) + " " +
                                         task_.failure->path + ": " + std::strerror(task_.failure->error));
      case Complaint::cannot_end_leftovers:
        return complain(start_.host, "what " + task + " has left behind does not end");
    }
  }

  [[noreturn]] void carry_out(const Finish& e) {
    if (pam_) pam_->close();
    LevelMessage relay{LevelMessage::Kind::relay};
    relay.by_signal = e.status.by_signal();
    relay.value = relay.by_signal ? e.status.signo() : e.status.code();
    if (outer_) outer_.send(relay);
    // A launcher may have stopped it; stopped, it could not tell the task's end.
    carry_out(ContinueOuter{});
    _exit(0);
  }

  const StartingPoint& start_;
  const Options& options_;
  int signals_;
  LevelLink outer_;
  io::JobCgroup cgroup_;
  Dialer dialer_;
  JobClock clock_;
  State state_;
  TaskFacts task_;
  std::deque<Event> events_;
  std::vector<pollfd> fds_;
  std::optional<PamLink> pam_;
  std::optional<PamAddress> pam_address_;  // the one that worked
  std::optional<io::Instance> instance_;   // which pam it was
  std::optional<std::uint32_t> tid_;
  bool registered_ = false;  // on this connection or an earlier one
  ParentEnd parent_end_;
  std::int64_t end_time_us_ = 0;
  TaskUsage usage_;  // of the task and all processes that became our children
};

[[noreturn]] void give_up(const StartingPoint& start, const LevelLink& outer, const std::string& why) {
  complain(start.host, why);
  LevelMessage relay{LevelMessage::Kind::relay};
  relay.value = kCannotBegin;
  outer.send(relay);
  _exit(0);
}

}  // namespace

void run_inner(const StartingPoint& start, const Options& options, const Result<SiteWords>& site,
               std::span<char* const> words, int signals, LevelLink outer, io::JobCgroup cgroup,
               const std::string& relay) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (!start.shared_group) setpgid(0, 0);
  const auto key = find_key(site);
  if (!key) give_up(start, outer, key.error().text);
  Inner(start, options, words, signals, std::move(outer), std::move(cgroup), *key,
        site->relay.empty() ? relay : site->relay)
      .run();
}

}  // namespace rollcall::taskstarter
