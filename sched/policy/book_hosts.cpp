// The Book and the hosts: what RES says, and how both come to agree after either was away.
#include <algorithm>

#include "sched/policy/book_memory.hpp"

namespace rollcall::sched {
namespace {

using wire::FromRes;
using wire::ToRes;

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
 public:
  Hearing(Book::Memory& memory, const std::string& host, WallTime now) : m_(memory), host_(host), now_(now) {}

  Effects effects;

  void hear(const FromRes& message) {
    switch (message.message_case()) {
      case FromRes::kHello:
        return hello(message.hello());
      case FromRes::kReady:
        return ready(message.ready());
      case FromRes::kRunning:
        if (BookEntry* entry = first_of(message.running().job()))
          m_.step(*entry, event::Ran{message.running()}, now_, effects);
        return;
      case FromRes::kUsage:
        return usage(message.usage());
      case FromRes::kStopped:
        if (BookEntry* entry = first_of(message.stopped().job()))
          m_.step(*entry, event::StoppedThere{}, now_, effects);
        return;
      case FromRes::kResumed:
        if (BookEntry* entry = first_of(message.resumed().job()))
          m_.step(*entry, event::ResumedThere{}, now_, effects);
        return;
      case FromRes::kOver:
        return over(message.over());
      case FromRes::kPostOver:
        return post_over(message.post_over());
      default:
        return;  // Refused: mbatchd logs it; what a host cannot do for a job it says with JobOver
    }
  }

 private:
  // The job that runs as this attempt with this host as its first one.
  BookEntry* first_of(const wire::JobAttempt& attempt) {
    BookEntry* entry = placed_here(attempt);
    return entry && entry->job.record.hosts(0).name() == host_ ? entry : nullptr;
  }
  BookEntry* placed_here(const wire::JobAttempt& attempt) {
    BookEntry* entry = m_.entry(key_of(attempt.key()));
    if (!entry || !placed(entry->job.status()) || entry->job.record.attempt() != attempt.attempt())
      return nullptr;
    return is_on(entry->job.record, host_) ? entry : nullptr;
  }

  void hello(const FromRes::ResHello& told) {
    HostLink& link = m_.links[host_];
    link.connected = true;
    link.lost = false;
    m_.time_host(host_);
    std::map<JobKey, const FromRes::Held*> held;
    for (const auto& job : told.jobs()) {
      if (placed_here(job.job()))
        held[key_of(job.job().key())] = &job;
      else
        end_stranger(job);
    }
    const std::set<JobKey> believed = m_.hosts[host_].jobs;
    for (const JobKey key : believed) {
      BookEntry& entry = m_.jobs.at(key);
      const auto found = held.find(key);
      const FromRes::Held* here = found == held.end() ? nullptr : found->second;
      if (entry.job.record.hosts(0).name() == host_)
        first_host_back(entry, here);
      else
        other_host_back(entry, here);
    }
    effects.push_back(effect::ScheduleSoon{});
  }

  void first_host_back(BookEntry& entry, const FromRes::Held* here) {
    event::HostBack back;
    if (here) back.held = here->state();
    m_.step(entry, back, now_, effects);
    if (!here || !placed(entry.job.status())) return;
    // What happened by itself while nobody was told of it.
    if (here->state() == FromRes::Held::STOPPED && entry.job.record.signals().empty())
      m_.step(entry, event::StoppedThere{}, now_, effects);
    if (here->state() == FromRes::Held::RUNNING) m_.step(entry, event::ResumedThere{}, now_, effects);
  }

  void other_host_back(const BookEntry& entry, const FromRes::Held* here) {
    const wire::JobRecord& record = entry.job.record;
    if (!here) effects.push_back(effect::OrderExpect{entry.job.key(), host_, record.attempt()});
    for (const auto& sent : record.signals())
      effects.push_back(effect::OrderSignal{host_, signal_order(record, sent)});
  }

  // An attempt that is over here, or was removed, or never was.
  void end_stranger(const FromRes::Held& held) {
    if (held.state() == FromRes::Held::OVER) return;
    if (!held.first_host()) {
      effects.push_back(effect::OrderRelease{host_, held.job()});
      return;
    }
    effect::OrderSignal kill{host_, {}};
    *kill.signal.mutable_job() = held.job();
    kill.signal.set_action(ToRes::SignalJob::SEND);  // whatever JOB_CONTROLS makes of TERMINATE
    kill.signal.set_signal(kSigkill);
    kill.signal.set_number(kLastWord);
    effects.push_back(std::move(kill));
  }

  void ready(const FromRes::JobReady& told) {
    BookEntry* entry = first_of(told.job());
    if (!entry) return;
    entry->stream = std::make_unique<wire::StreamPlace>(told.stream());
    effects.push_back(effect::TellWaiters{entry->job.key()});
  }

  void usage(const FromRes::JobUsageReport& told) {
    if (BookEntry* entry = placed_here(told.job())) take_usage(*entry, told.usage());
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

  void over(const FromRes::JobOver& told) {
    BookEntry* entry = first_of(told.job());
    if (!entry) {
      // Of what was never seen there is nothing to be cleared away.
      if (told.how() != FromRes::JobOver::NEVER_SEEN)
        effects.push_back(effect::OrderAcknowledge{host_, told.job()});
      return;
    }
    if (told.has_usage()) take_usage(*entry, told.usage());
    m_.step(*entry, event::Ended{told}, now_, effects);
  }

  void post_over(const FromRes::PostOver& told) {
    BookEntry* entry = m_.entry(key_of(told.job().key()));
    if (entry && entry->job.record.attempt() == told.job().attempt())
      m_.step(*entry, event::PostEnded{told.failed()}, now_, effects);
    effects.push_back(effect::OrderAcknowledge{host_, told.job()});
  }

  Book::Memory& m_;
  const std::string& host_;
  WallTime now_;
};

}  // namespace

Effects Book::res_said(const std::string& host, const wire::FromRes& message, WallTime now) {
  Hearing hearing(*memory_, host, now);
  hearing.hear(message);
  return std::move(hearing.effects);
}

Effects Book::res_lost(const std::string& host, WallTime now) {
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
