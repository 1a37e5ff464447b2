// The Book and the hosts: what is reported of them, and how both come to agree after either was away.
#include <algorithm>

#include "sched/policy/book_memory.hpp"

namespace rollcall::sched {
namespace {

constexpr int kSigkill = 9;
constexpr std::uint64_t kLastWord = std::uint64_t{1}
                                    << 62;  // above every number that a job's signals can have

// Of all hosts together, the first one first. Times and sizes add up; what was largest at different moments adds up to at most this.
wire::JobUsage total(const std::map<std::string, wire::JobUsage>& by_host,
                     const google::protobuf::RepeatedPtrField<wire::ExecHost>& hosts) {
  wire::JobUsage sum;
  for (const auto& host : hosts) {
    const auto told = by_host.find(host.name());
    if (told == by_host.end()) continue;
    const wire::JobUsage& usage = told->second;
    sum.set_user_s(sum.user_s() + usage.user_s());
    sum.set_system_s(sum.system_s() + usage.system_s());
    sum.set_memory_kb(sum.memory_kb() + usage.memory_kb());
    sum.set_swap_kb(sum.swap_kb() + usage.swap_kb());
    sum.set_max_memory_kb(sum.max_memory_kb() + usage.max_memory_kb());
    sum.set_max_swap_kb(sum.max_swap_kb() + usage.max_swap_kb());
    sum.set_average_memory_kb(sum.average_memory_kb() + usage.average_memory_kb());
    sum.set_threads(sum.threads() + usage.threads());
    sum.set_processes(sum.processes() + usage.processes());
    sum.set_max_threads(sum.max_threads() + usage.max_threads());
    sum.set_max_processes(sum.max_processes() + usage.max_processes());
    sum.mutable_pids()->MergeFrom(usage.pids());
    sum.mutable_pgids()->MergeFrom(usage.pgids());
    sum.mutable_pid_pgids()->MergeFrom(usage.pid_pgids());
    sum.set_sampled_us(std::max(sum.sampled_us(), usage.sampled_us()));
    auto& of_host = *sum.add_hosts();
    of_host.set_host(host.name());
    of_host.set_memory_kb(usage.memory_kb());
    of_host.set_swap_kb(usage.swap_kb());
    of_host.set_user_s(usage.user_s());
    of_host.set_system_s(usage.system_s());
    of_host.set_pids(static_cast<std::uint32_t>(usage.pids_size()));
  }
  return sum;
}

bool is_on(const wire::JobRecord& record, const std::string& host) {
  return std::any_of(record.hosts().begin(), record.hosts().end(),
                     [&host](const wire::ExecHost& h) { return h.name() == host; });
}

class Hearing {
  using State = report::Held::State;

 public:
  Hearing(Book::Memory& memory, const std::string& host, WallTime now) : m_(memory), host_(host), now_(now) {}

  Effects effects;

  void operator()(const report::HostCame& came) { hello(came); }
  void operator()(const report::Ready& told) { ready(told); }
  void operator()(const report::Running& told) {
    if (BookEntry* entry = first_of(told.attempt)) m_.step(*entry, event::Ran{told}, now_, effects);
  }
  void operator()(const report::Used& told) {
    if (BookEntry* entry = placed_here(told.attempt)) take_usage(*entry, told.usage);
  }
  void operator()(const report::Stopped& told) {
    if (BookEntry* entry = first_of(told.attempt)) m_.step(*entry, event::StoppedThere{}, now_, effects);
  }
  void operator()(const report::Resumed& told) {
    if (BookEntry* entry = first_of(told.attempt)) m_.step(*entry, event::ResumedThere{}, now_, effects);
  }
  void operator()(const report::Over& told) { over(told); }
  void operator()(const report::PostOver& told) { post_over(told); }

 private:
  // The job that runs as this attempt with this host as its first one.
  BookEntry* first_of(const Attempt& attempt) {
    BookEntry* entry = placed_here(attempt);
    return entry && entry->job.record.hosts(0).name() == host_ ? entry : nullptr;
  }
  BookEntry* placed_here(const Attempt& attempt) {
    BookEntry* entry = m_.entry(attempt.job);
    if (!entry || !placed(entry->job.status()) || entry->job.record.attempt() != attempt.number)
      return nullptr;
    return is_on(entry->job.record, host_) ? entry : nullptr;
  }

  void hello(const report::HostCame& told) {
    HostLink& link = m_.links[host_];
    link.connected = true;
    link.lost = false;
    m_.time_host(host_);
    std::map<JobKey, const report::Held*> held;
    for (const auto& job : told.jobs) {
      if (placed_here(job.attempt))
        held[job.attempt.job] = &job;
      else
        end_stranger(job);
    }
    const std::set<JobKey> believed = m_.hosts[host_].jobs;
    for (const JobKey key : believed) {
      BookEntry& entry = m_.jobs.at(key);
      const auto found = held.find(key);
      const report::Held* here = found == held.end() ? nullptr : found->second;
      if (entry.job.record.hosts(0).name() == host_)
        first_host_back(entry, here);
      else
        other_host_back(entry, here);
    }
    effects.push_back(effect::ScheduleSoon{});
  }

  void first_host_back(BookEntry& entry, const report::Held* here) {
    event::HostBack back;
    if (here) back.held = here->state;
    m_.step(entry, back, now_, effects);
    if (!here || !placed(entry.job.status())) return;
    // What happened by itself while nobody was told of it.
    if (here->state == State::stopped && entry.job.record.signals().empty())
      m_.step(entry, event::StoppedThere{}, now_, effects);
    if (here->state == State::running) m_.step(entry, event::ResumedThere{}, now_, effects);
  }

  void other_host_back(const BookEntry& entry, const report::Held* here) {
    const wire::JobRecord& record = entry.job.record;
    if (!here) effects.push_back(effect::OrderExpect{entry.job.key(), host_, record.attempt()});
    for (const auto& sent : record.signals())
      effects.push_back(effect::OrderSignal{host_, signal_order(record, sent)});
  }

  // An attempt that is over here, or was removed, or never was.
  void end_stranger(const report::Held& held) {
    if (held.state == State::over) return;
    if (!held.first_host) {
      effects.push_back(effect::OrderRelease{host_, held.attempt});
      return;
    }
    wire::SentSignal kill;
    kill.set_action(wire::SentSignal::SEND);  // whatever JOB_CONTROLS makes of TERMINATE
    kill.set_signal(kSigkill);
    kill.set_number(kLastWord);
    effects.push_back(effect::OrderSignal{host_, {held.attempt, std::move(kill)}});
  }

  void ready(const report::Ready& told) {
    BookEntry* entry = first_of(told.attempt);
    if (!entry) return;
    entry->stream = std::make_unique<wire::StreamPlace>(told.stream);
    effects.push_back(effect::TellWaiters{entry->job.key()});
  }

  // Not saved for itself: it is told again soon, and the job's next change saves it.
  void take_usage(BookEntry& entry, const wire::JobUsage& told) {
    wire::JobRecord& record = entry.job.record;
    if (record.hosts_size() == 1) {
      *record.mutable_usage() = told;
      return;
    }
    if (!entry.usage) entry.usage = std::make_unique<std::map<std::string, wire::JobUsage>>();
    (*entry.usage)[host_] = told;
    *record.mutable_usage() = total(*entry.usage, record.hosts());
  }

  void over(const report::Over& told) {
    BookEntry* entry = first_of(told.attempt);
    if (!entry) {
      // Of what was never seen there is nothing to be cleared away.
      if (told.how != report::Over::How::never_seen)
        effects.push_back(effect::OrderAcknowledge{host_, told.attempt});
      return;
    }
    if (told.usage) take_usage(*entry, *told.usage);
    m_.step(*entry, event::Ended{told}, now_, effects);
  }

  void post_over(const report::PostOver& told) {
    BookEntry* entry = m_.entry(told.attempt.job);
    if (entry && entry->job.record.attempt() == told.attempt.number)
      m_.step(*entry, event::PostEnded{told.failed}, now_, effects);
    effects.push_back(effect::OrderAcknowledge{host_, told.attempt});
  }

  Book::Memory& m_;
  const std::string& host_;
  WallTime now_;
};

}  // namespace

Effects Book::host_told(const std::string& host, const HostReport& report, WallTime now) {
  memory_->hear_clock(now);
  Hearing hearing(*memory_, host, now);
  std::visit(hearing, report);
  return std::move(hearing.effects);
}

Effects Book::host_gone(const std::string& host, WallTime now) {
  memory_->hear_clock(now);
  HostLink& link = memory_->links[host];
  if (!link.connected && link.silent_since_us != 0) return {};
  link.connected = false;
  link.silent_since_us = now.us;
  memory_->time_host(host);
  return {effect::ScheduleSoon{}};
}

bool Book::connected(const std::string& host) const {
  const auto found = memory_->links.find(host);
  return found != memory_->links.end() && found->second.connected;
}

}  // namespace rollcall::sched
