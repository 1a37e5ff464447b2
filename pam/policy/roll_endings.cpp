#include "pam/policy/roll_endings.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "pam/policy/roll_messages.hpp"

namespace rollcall::pam {

void Endings::became_live(Tid tid) {
  ++roll_.live;
  const auto rank = roll_.tasks[tid].rank;
  if (!rank || roll_.live_ranks.insert(*rank)) return;
  auto& sharing = roll_.shared_ranks[*rank];
  sharing = std::max<std::size_t>(sharing, 1) + 1;
  if (sharing == 2) say("two running tasks say they are rank " + std::to_string(*rank) + ": both go on");
}

void Endings::no_longer_live(Tid tid, TaskState state) {
  Task& task = roll_.tasks[tid];
  task.state = state;
  if (state == TaskState::ended) task.gone = ++roll_.gone;
  --roll_.live;
  roll_.away.remove(tid);
  if (!task.rank) return;
  const auto shared = roll_.shared_ranks.find(*task.rank);
  if (shared == roll_.shared_ranks.end()) return roll_.live_ranks.erase(*task.rank);
  if (--shared->second == 1) roll_.shared_ranks.erase(shared);
}

void Endings::goes_away(Tid tid, std::int64_t at_us, Duration wait, LossCause cause) {
  Task& task = roll_.tasks[tid];
  task.state = TaskState::away;
  task.end_us = at_us;
  task.gone = ++roll_.gone;
  roll_.away.add(tid, {now_ + wait, roll_.phase == Phase::ending || roll_.term_delivered, cause});
}

const Away* Endings::known_loss(Tid tid) const {
  const Away* away = roll_.away.find(tid);
  return away != nullptr && away->cause.kind != LossCause::Kind::unknown ? away : nullptr;
}

void Endings::lose(Tid tid, bool expected, LossCause cause) {
  if (roll_.tasks[tid].state != TaskState::away) roll_.tasks[tid].gone = ++roll_.gone;
  no_longer_live(tid, TaskState::lost);
  ++roll_.lost;
  tell_loss(tid, expected, cause);
  check_all_ended();
}

void Endings::tell_loss(Tid tid, bool expected, LossCause cause) {
  if (expected) return note(loss_line(roll_, tid, cause));
  roll_.losses.push_back({tid, cause});
  if (!roll_.losses_at) roll_.losses_at = now_ + kClosedLink;
}

// Logged once: it is the same for nearly all hosts of a site.
void Endings::note_no_cgroup(const event::TaskRegistered& e) {
  if (e.no_cgroup.empty() || roll_.said_no_cgroup) return;
  roll_.said_no_cgroup = true;
  note("tasks on " + e.registration.host + " have no cgroup (" + e.no_cgroup +
       "): where both levels of a TaskStarter are killed at once, what its task has started may be left");
}

void Endings::expect_orphans(const std::string& host) {
  roll_.orphan_hosts.insert(host);
  if (!roll_.orphans_at) roll_.orphans_at = now_ + kOrphans;
}

void Endings::end_orphans() {
  for (Tid tid = 0; tid < roll_.tasks.size() && !roll_.orphan_hosts.empty(); ++tid) {
    const Task& task = roll_.tasks[tid];
    const std::string& host = roll_.tasks.host(task);
    if (task.state == TaskState::running && roll_.orphan_hosts.erase(host) != 0)
      out_.push_back(effect::EndOrphans{host, tid});
  }
  if (roll_.orphan_hosts.count(roll_.rules.host) != 0)
    out_.push_back(effect::EndOrphans{roll_.rules.host, std::nullopt});
  roll_.orphan_hosts.clear();
}

void Endings::say_losses() {
  roll_.losses_at.reset();
  if (roll_.losses.empty()) return;
  // In the order in which pam heard of them: their times come from several clocks, and a closed link is dated when pam noticed it.
  const auto earlier = [&](const Roll::Loss& a, const Roll::Loss& b) {
    return roll_.tasks[a.tid].gone < roll_.tasks[b.tid].gone;
  };
  const auto first = std::min_element(roll_.losses.begin(), roll_.losses.end(), earlier);
  std::set<std::string> hosts;
  for (const auto& loss : roll_.losses)
    if (loss.tid != first->tid) hosts.insert(roll_.tasks.host(roll_.tasks[loss.tid]));
  const std::size_t more = roll_.losses.size() - 1;
  say(loss_line(roll_, first->tid, first->cause) +
      (more == 0 ? "" : "; then " + std::to_string(more) + " more (" + fold_hosts(hosts) + ")"));
  roll_.losses.clear();
}

void Endings::raise_expected() {
  if (!roll_.expected || static_cast<int>(roll_.registered()) <= *roll_.expected) return;
  roll_.expected = static_cast<int>(roll_.registered());
}

void Endings::check_complete() {
  if (roll_.phase != Phase::launching && roll_.phase != Phase::running) return;
  if (!roll_.complete()) return;
  roll_.phase = Phase::running;
  roll_.all_deadline.reset();
  if (roll_.not_started > 0) {
    say_not_started();
    begin_ending("a task could not be started", not_started_code(), roll_.rules.terminate_interval);
    return;
  }
  check_all_ended();
}

void Endings::say_not_started() {
  for (const auto& line : not_started_lines(roll_)) say(line);
}

int Endings::not_started_code() const {
  const bool none_found = std::all_of(roll_.tasks.begin(), roll_.tasks.end(), [&](const Task& task) {
    const StartFailure* failure = roll_.tasks.failure(task);
    return failure == nullptr || failure->error == ENOENT;
  });
  return none_found ? 127 : 126;
}

void Endings::check_all_ended() {
  const bool waits_for_launcher = roll_.phase == Phase::running && roll_.launcher_running();
  if (waits_for_launcher && roll_.live == 0 && roll_.rules.linger > Duration{0} && !roll_.linger_at)
    roll_.linger_at = now_ + roll_.rules.linger;
}

int Endings::worst_status() const {
  int worst = roll_.lost > 0 ? kLostParentStatus : 0;
  for (const auto& task : roll_.tasks)
    if (task.state == TaskState::ended) worst = std::max(worst, task.status.shell_code());
  return worst;
}

void Endings::deliver(int signo) {
  if (signo == SIGTERM) roll_.term_delivered = true;
  roll_.signals.push_back({{++roll_.sequence, signo, std::nullopt}, now_});
  if (roll_.signals.size() > kSignalsKept) roll_.signals.erase(roll_.signals.begin());
  out_.push_back(roll_.signals.back().signal);
}

void Endings::deliver_missed(Tid tid, TimePoint since) {
  for (const auto& [signal, at] : roll_.signals)
    if (at >= since) out_.push_back(effect::DeliverSignal{signal.sequence, signal.signo, tid});
}

void Endings::signal_launcher(int signo, bool only_if_caught) {
  if (!roll_.launcher_running()) return;
  roll_.sent_to_launcher.insert(signo);
  out_.push_back(effect::SignalLauncher{signo, only_if_caught});
}

void Endings::begin_ending(const std::string& why, std::optional<int> verdict, Duration grace) {
  roll_.phase = Phase::ending;
  roll_.why = why;
  if (verdict) roll_.verdict = verdict;
  roll_.first_deadline.reset();
  roll_.all_deadline.reset();
  roll_.settle_at.reset();
  roll_.linger_at.reset();
  roll_.clean_at.reset();
  const bool ends_by_itself = roll_.live == 0 && roll_.not_started > 0;
  const Duration own_end = ends_by_itself ? kOwnEnd : Duration{0};
  if (roll_.launcher_running()) {
    ends_by_itself ? void(roll_.launcher_term_at = now_ + own_end) : term_launcher();
    roll_.sent_to_launcher.insert(SIGKILL);
    roll_.launcher_kill_at = now_ + own_end + grace;
  }
  end_tasks(own_end + grace);
}

void Endings::term_launcher() {
  signal_launcher(SIGTERM, false);
  signal_launcher(SIGCONT, false);  // a stopped launcher acts on TERM only then
}

void Endings::end_tasks(Duration grace) {
  const auto grace_ms =
      static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(grace).count());
  if (!roll_.term_delivered) out_.push_back(effect::EndTasks{grace_ms, std::nullopt});
  roll_.term_delivered = true;
  kill_tasks_in(grace);
}

void Endings::kill_tasks_in(Duration grace) {
  const TimePoint at = now_ + grace;
  if (roll_.give_up_at && *roll_.give_up_at <= at + kGiveUp) return;
  roll_.tasks_kill_at = at;
  roll_.give_up_at = at + kGiveUp;
}

void Endings::end_one(Tid tid) {
  const Duration left = roll_.tasks_kill_at ? std::max(*roll_.tasks_kill_at - now_, Duration{0}) : kQuickKill;
  out_.push_back(effect::EndTasks{
      static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(left).count()), tid});
  if (!roll_.give_up_at) kill_tasks_in(kQuickKill);
}

void Endings::end_tasks_left(Duration grace) {
  roll_.phase = Phase::ending;
  if (roll_.not_started > 0 && !roll_.verdict) {
    say_not_started();
    roll_.verdict = not_started_code();
  }
  if (roll_.live > 0) end_tasks(grace);
}

void Endings::told_to_end() {
  if (roll_.why.empty()) roll_.why = "pam was told to end (TERM)";
  const bool again = roll_.tasks_kill_at.has_value();
  const Duration grace = again ? kQuickKill : roll_.rules.terminate_interval;
  kill_tasks_in(grace);
  if (roll_.launcher_running()) {
    roll_.sent_to_launcher.insert(SIGKILL);
    roll_.launcher_kill_at = std::min(roll_.launcher_kill_at.value_or(now_ + grace), now_ + grace);
  }
}

void Endings::run_timers() {
  if (take(roll_.settle_at)) {
    roll_.expected = static_cast<int>(roll_.registered());
    note(std::to_string(*roll_.expected) + " tasks registered and no further one within " +
         seconds_text(kSettle));
    check_complete();
  }
  if (take(roll_.first_deadline)) too_late(*roll_.rules.first_timeout, "--timeout-first");
  if (take(roll_.all_deadline) && !more_come())
    too_late(roll_.rules.registration_timeout, "LSF_HPC_PJL_LOADENV_TIMEOUT");
  if (take(roll_.linger_at)) lingered();
  if (take(roll_.clean_at)) failed_task();
  if (take(roll_.verdict_at)) parent_was_lost();
  if (take(roll_.drain_at)) drained();
  if (take(roll_.stop_at)) stop();
  run_link_timers();
  run_kill_timers();
}

bool Endings::more_come() {
  const Duration pause = roll_.rules.registration_timeout / kPartsOfTimeout;
  if (roll_.phase == Phase::ending || !roll_.last_registered || now_ - *roll_.last_registered >= pause)
    return false;
  roll_.all_deadline = *roll_.last_registered + pause;
  if (!std::exchange(roll_.extended, true)) say(still_coming_line(roll_));
  return true;
}

void Endings::too_late(Duration timeout, const char* parameter) {
  if (roll_.phase == Phase::ending) return;
  say(missing_line(roll_, timeout, parameter) + ": the launcher and the tasks are ended");
  say_not_started();
  begin_ending("not all tasks registered in time", kTimedOut, roll_.rules.terminate_interval);
}

void Endings::lingered() {
  say("all " + std::to_string(roll_.registered()) + " tasks have ended and the launcher " +
      roll_.rules.launcher + " has not within " + seconds_text(roll_.rules.linger) +
      ": it is ended (to let it wait longer raise " + roll_.rules.linger_parameter + ")");
  begin_ending("the launcher did not end after its last task", worst_status(), 2 * kQuickKill);
}

void Endings::failed_task() {
  if (roll_.phase == Phase::ending) return;
  say("a task ended with " + roll_.clean_status->text() + ": the job is ended (LSF_PAM_CLEAN_JOB_DELAY)");
  begin_ending("a task failed", roll_.clean_status->shell_code(), roll_.rules.terminate_interval);
}

void Endings::count_failed_task(const std::string& then) {
  if (!roll_.clean_at || roll_.verdict || roll_.not_started > 0 || roll_.term_delivered) return;
  const ExitStatus& status = *roll_.clean_status;
  // A task that died of the signal which pam was asked to send did not fail.
  const auto asked_for = [&](const Roll::Delivered& d) {
    return status.by_signal() && d.signal.signo == status.signo();
  };
  if (std::any_of(roll_.signals.begin(), roll_.signals.end(), asked_for)) return;
  if (roll_.launcher_status && roll_.launcher_status->shell_code() == status.shell_code()) return;
  say("a task ended with " + status.text() + ", then " + then +
      ": the task's status counts (LSF_PAM_CLEAN_JOB_DELAY)");
  roll_.verdict = status.shell_code();
}

void Endings::parent_was_lost() {
  if (!roll_.launcher_running() || roll_.phase == Phase::ending) return;
  const auto& lost = *roll_.parent_lost;
  say(lost_process(lost.name, lost.pid, roll_.tasks.host(roll_.tasks[lost.tid]), lost.status) +
      " while the launcher lives: the job is ended");
  count_failed_task("a process of the launcher was lost");
  begin_ending("a process of the launcher was lost", std::nullopt, kQuickKill);
}

void Endings::drained() {
  if (roll_.live > 0 && roll_.phase != Phase::ending)
    note("the launcher has ended, " + std::to_string(roll_.live) + " tasks have not: TERM, KILL after " +
         seconds_text(roll_.rules.terminate_interval));
  end_tasks_left(roll_.rules.terminate_interval);
}

void Endings::stop() {
  signal_launcher(SIGSTOP, false);
  out_.push_back(effect::StopSelf{});
}

void Endings::run_link_timers() {
  for (const Tid tid : roll_.away.due(now_)) {
    Away away = *roll_.away.find(tid);
    if (away.cause.kind == LossCause::Kind::unknown) away.cause.kind = LossCause::Kind::link;
    lose(tid, away.expected, away.cause);
  }
  if (due(roll_.losses_at, now_)) say_losses();
  if (take(roll_.orphans_at)) end_orphans();
}

void Endings::run_kill_timers() {
  if (take(roll_.tasks_kill_at) && roll_.live > 0) {
    out_.push_back(effect::EndTasks{0, std::nullopt});
    // The tree holds the TaskStarters of this host: they are to report first how their tasks ended.
    if (roll_.launcher_kill_at) roll_.launcher_kill_at = std::max(*roll_.launcher_kill_at, now_ + kHeadStart);
  }
  if (take(roll_.launcher_term_at)) term_launcher();
  if (take(roll_.launcher_kill_at) && roll_.launcher_running()) out_.push_back(effect::KillLauncherTree{});
  if (!take(roll_.give_up_at)) return;
  for (Tid tid = 0; tid < roll_.tasks.size(); ++tid)
    if (roll_.tasks[tid].live()) lose(tid, false, {LossCause::Kind::no_answer, 0});
  if (roll_.launcher_running()) {
    say("the launcher " + roll_.rules.launcher + " does not end: given up");
    if (!roll_.verdict) roll_.verdict = kLostParentStatus;
    finish();
  }
}

void Endings::finish() {
  say_losses();
  int code = roll_.launcher_status ? roll_.launcher_status->shell_code() : 1;
  if (roll_.parent_lost && roll_.phase == Phase::ending && code == 0) code = kLostParentStatus;
  const bool idle =
      roll_.launcher_status && roll_.registered() == 0 && !roll_.verdict && roll_.rules.expected;
  if (idle && code == 0)
    say("the launcher " + roll_.rules.launcher + " ended well, and none of " +
        std::to_string(*roll_.rules.expected) +
        " tasks has registered: was TaskStarter among what it started?");
  const bool fewer = roll_.launcher_status && roll_.expected && roll_.registered() > 0 && !roll_.complete();
  if (fewer && !roll_.verdict && !roll_.term_delivered) say(fewer_line(roll_));
  if (const std::string line = first_failure_line(roll_); !line.empty()) say(line);
  if (roll_.not_started > 0 && !roll_.verdict) {
    say_not_started();
    roll_.verdict = not_started_code();
  }
  roll_.phase = Phase::done;
  out_.push_back(effect::Finish{roll_.verdict.value_or(code), roll_.why});
}

}  // namespace rollcall::pam
