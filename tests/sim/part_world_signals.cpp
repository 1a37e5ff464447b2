// PartWorld: signals of jobs, and that they reach their parts. A signal of west is known by its number; east gives it one of its own, under
// which its hosts get it.
#include <algorithm>

#include "sched/policy/peers/forward_messages.hpp"
#include "tests/sim/part_world.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched {
namespace {

constexpr int kUsr1 = 10, kJobsGoOn = 100, kLastSignals = 4;
constexpr std::size_t kMostGiven = 12;  // mbatchd keeps 16 of a job's signals

std::string text_of(std::uint64_t number, const std::string& host, const Attempt& attempt) {
  return "signal " + std::to_string(number) + " of " + text(attempt) + " on " + host;
}

}  // namespace

// A user stops or resumes a job that runs, or sends it SIGUSR1.
void PartWorld::give_signal() {
  const auto running = west_.running("hostA");
  if (running.empty()) return;
  const Attempt attempt = running[below(running.size())];
  const Job* job = west_.book().jobs().find(attempt.job);
  if (!job || job->record.attempt() != attempt.number || job->record.signal_number() >= kMostGiven) return;
  const std::uint64_t before = job->record.signal_number();
  wire::SignalJobs request;
  set_key(*request.mutable_filter()->add_keys(), attempt.job);
  const bool stopped = job->status() == wire::STATUS_USUSP;
  request.set_action(one_in(2) ? wire::SignalJobs::SEND
                     : stopped ? wire::SignalJobs::RESUME
                               : wire::SignalJobs::STOP);
  request.set_signal(kUsr1);
  const bool in_a_cut = !connected_;
  west_.change([&](book::Book& book, WallTime now) {
    Effects effects = book.commands().signal_jobs(request, book::kAnn, now).effects;
    const std::uint64_t number = book.jobs().find(attempt.job)->record.signal_number();
    if (in_a_cut && number > before) given_in_a_cut_.insert({attempt, number});
    return effects;
  });
}

std::optional<Attempt> PartWorld::part_of(const Attempt& attempt) const {
  wire::ForwardAttempt name;
  set_key(*name.mutable_key(), attempt.job);
  name.set_attempt(attempt.number);
  const auto key = east_.book().forwards().job_of("west", name);
  const Job* part = key ? east_.book().jobs().find(*key) : nullptr;
  return part ? std::optional(Attempt{*key, part->record.attempt()}) : std::nullopt;
}

// ---------------------------------------------------------------- east

Effects PartWorld::obey(book::Book& book, const wire::ForwardSignal& signal, WallTime now) {
  Effects effects = answered(book.forwards().signal("west", signal, now));
  for (const Effect& one : effects)
    if (const auto* order = std::get_if<effect::OrderSignal>(&one))
      causes_[{order->signal.attempt, order->signal.sent.number()}] = {peers::attempt_of(signal.attempt()),
                                                                       signal.sent().number()};
  return effects;
}

void PartWorld::obeyed(const std::string& host, const Attempt& part, std::uint64_t number) {
  const auto cause = causes_.find({part, number});
  if (cause == causes_.end()) return;
  const Given& given = cause->second;
  auto& before = obeyed_[{host, part}];
  if (!before.empty() && before.back() >= given.number)
    fail(text_of(given.number, host, given.attempt) + " comes behind signal " +
         std::to_string(before.back()));
  before.push_back(given.number);
  ++seen_.signals;
  seen_.late_signals += given_in_a_cut_.contains(given);
}

// East has died: numbers that no commit has are given again.
void PartWorld::forget_uncommitted() {
  std::erase_if(causes_, [this](const auto& one) {
    const auto& [part, number] = one.first;
    const Job* job = east_.book().jobs().find(part.job);
    return job && job->record.attempt() == part.number && number > job->record.signal_number();
  });
}

// ---------------------------------------------------------------- the end

std::string PartWorld::missing_signal(const std::string& host, const Attempt& part, const Job& job) const {
  const Attempt attempt{job.key(), job.record.attempt()};
  const auto on_host = obeyed_.find({host, part});
  const wire::SentSignal* stop_or_resume = nullptr;
  for (const auto& sent : job.record.signals()) {
    if (sent.action() == wire::SentSignal::SUSPEND || sent.action() == wire::SentSignal::RESUME)
      stop_or_resume = &sent;
    if (sent.action() != wire::SentSignal::SEND && sent.action() != wire::SentSignal::TERMINATE) continue;
    if (on_host == obeyed_.end() ||
        std::find(on_host->second.begin(), on_host->second.end(), sent.number()) == on_host->second.end())
      return text_of(sent.number(), host, attempt) + " has not come";
  }
  if (!stop_or_resume) return "";
  const bool stops = stop_or_resume->action() == wire::SentSignal::SUSPEND;
  if (east_.stopped(host, part) == stops) return "";
  return text_of(stop_or_resume->number(), host, attempt) + ": the part is " +
         (stops ? "not stopped" : "stopped");
}

// Of parts that run, as far as both clusters agree that they do; "": no signal is missing.
std::string PartWorld::missing_signal() const {
  for (const Attempt& attempt : west_.running("hostA")) {
    const Job* job = west_.book().jobs().find(attempt.job);
    const auto part = part_of(attempt);
    if (!job || !part || job->record.attempt() != attempt.number || !placed(job->status())) continue;
    const wire::JobRecord& there = east_.book().jobs().find(part->job)->record;
    if (!placed(there.status()) || there.from().releasing() || there.from().withdrawn()) continue;
    for (const auto& on : there.hosts())
      if (east_.holds(on.name(), *part))
        if (auto missing = missing_signal(on.name(), *part, *job); !missing.empty()) return missing;
  }
  return "";
}

bool PartWorld::a_part_runs() const {
  const auto running = west_.running("hostA");
  return std::any_of(running.begin(), running.end(), [this](const Attempt& attempt) {
    const auto part = part_of(attempt);
    return part && east_.book().jobs().find(part->job)->status() == wire::STATUS_RUN;
  });
}

// A part that runs gets its last signals in a cut. Jobs go on until every part has its signals.
void PartWorld::settle_signals(int turns) {
  west_.calm(kJobsGoOn);
  east_.calm(kJobsGoOn);
  const auto take_quiet_turns = [this] {
    west_.connect_hosts();
    east_.connect_hosts();
    take_turns();
  };
  for (int i = 0; i < turns && trouble_.empty() && !a_part_runs() && !west_.all_over(); ++i)
    take_quiet_turns();
  cut();
  for (int i = 0; i < kLastSignals; ++i) give_signal();
  std::string missing = missing_signal();
  for (int i = 0; i < turns && trouble_.empty() && !missing.empty(); ++i) {
    take_quiet_turns();
    missing = missing_signal();
  }
  if (!missing.empty()) fail(missing);
}

}  // namespace rollcall::sched
