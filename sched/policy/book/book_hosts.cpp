// The Book and the hosts: reports, and how both come to agree after a host or mbatchd was away.
#include <algorithm>

#include "sched/policy/book/book_memory.hpp"

namespace rollcall::sched::book {
namespace {

constexpr int kSigkill = 9;
// Above every number that a job's signals can have.
constexpr std::uint64_t kLastWord = std::uint64_t{1} << 62;

// Sums over all hosts, the first host's processes first. Peaks add up too: the true peak of the sum may be smaller.
wire::JobUsage total(const std::map<HostNumber, wire::JobUsage>& by_host, KnownHosts& known,
                     const google::protobuf::RepeatedPtrField<wire::ExecHost>& hosts) {
  wire::JobUsage sum;
  for (const auto& host : hosts) {
    const auto told = by_host.find(known.number(host.name()));
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

std::string left_text(const report::LeftBehind& told) {
  if (told.directories == 0) return "";
  return std::to_string(told.directories) + (told.directories == 1 ? " directory, " : " directories, ") +
         told.place + (told.last.empty() ? "" : "; the last: " + told.last);
}

// Applies one report of a host to the Book.
class ReportHandler {
  using State = report::Held::State;

 public:
  ReportHandler(Memory& memory, const std::string& host, WallTime now)
      : m_(memory), host_(host), number_(memory.hosts.number(host)), now_(now) {}

  Effects effects;

  void operator()(const report::HostCame& came) { hello(came); }
  void operator()(const report::Prepared& told) {
    for (const Attempt& attempt : told.attempts) prepared(attempt);
  }
  void operator()(const report::NotPrepared& told) {
    HostLink& link = m_.hosts.link(number_);
    link.trouble = told.why;
    link.trouble_us = now_.us;
    if (BookEntry* entry = placed_here(told.attempt))
      m_.step(*entry, event::NotPrepared{host_, told.why}, now_, effects);
  }
  void operator()(const report::Gone& told) {
    for (const Attempt& attempt : told.attempts)
      if (BookEntry* entry = placed_here(attempt)) m_.step(*entry, event::PartGone{host_}, now_, effects);
  }
  void operator()(const report::PartOver& told) {
    if (BookEntry* entry = placed_here(told.attempt))
      m_.step(*entry, event::PartLost{host_, told.why, told.recalled}, now_, effects);
  }
  void operator()(const report::PartsTold&) {
    m_.awaits_no_more(std::string(HostId(host_).cluster()), now_, effects);
  }
  void operator()(const report::Begun& told) {
    for (const Attempt& attempt : told.attempts)
      if (BookEntry* entry = first_of(attempt)) m_.step(*entry, event::Begun{}, now_, effects);
  }
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
  void operator()(const report::Unheard& told) {
    if (BookEntry* entry = first_of(told.attempt)) m_.step(*entry, event::HostLost{true}, now_, effects);
  }
  void operator()(const report::HeardAgain& told) {
    if (BookEntry* entry = first_of(told.attempt)) {
      event::HostBack back;
      back.held = told.stopped ? State::stopped : State::running;
      back.knows_go = m_.hosts.link(number_).knows_go;
      m_.step(*entry, back, now_, effects);
    }
  }
  void operator()(const report::Over& told) { over(told); }
  void operator()(const report::PostOver& told) { post_over(told); }
  void operator()(const report::LeftBehind& told) { m_.hosts.link(number_).left_behind = left_text(told); }
  void operator()(const report::NotOurs& told) { m_.hosts.link(number_).not_ours = told.why; }
  void operator()(const report::CarriedOut& told) {
    if (BookEntry* entry = placed_here(told.attempt))
      m_.step(*entry, event::CarriedOut{std::string(HostId(host_).cluster()), told.number}, now_, effects);
  }
  void operator()(const report::Elsewhere& told) {
    if (BookEntry* entry = first_of(told.attempt)) m_.step(*entry, event::Elsewhere{told.job}, now_, effects);
  }

 private:
  // The job that runs as this attempt with this host as its first one.
  BookEntry* first_of(const Attempt& attempt) {
    BookEntry* entry = placed_here(attempt);
    return entry && is_first(entry->job->record) ? entry : nullptr;
  }
  bool is_first(const wire::JobRecord& record) const {
    return !is_part(record) && record.hosts(0).name() == host_;
  }
  // The job whose last attempt was given up when this host was lost, and whose rerun pends.
  BookEntry* given_up_here(const Attempt& attempt) {
    BookEntry* entry = m_.entry(attempt.job);
    if (!entry || !pending(entry->job->status()) || entry->job->record.attempt() != attempt.number)
      return nullptr;
    const auto& given_up = entry->job->record.given_up();
    return given_up.hosts_size() != 0 && given_up.hosts(0).name() == host_ ? entry : nullptr;
  }
  // The job that ended as this attempt with this host as its first one: post-execution ran here alone.
  BookEntry* ended_here(const Attempt& attempt) {
    BookEntry* entry = m_.entry(attempt.job);
    if (!entry || !finished(entry->job->status()) || entry->job->record.attempt() != attempt.number)
      return nullptr;
    const auto& hosts = entry->job->record.hosts();
    return hosts.size() != 0 && hosts.Get(0).name() == host_ ? entry : nullptr;
  }
  BookEntry* placed_here(const Attempt& attempt) {
    BookEntry* entry = m_.entry(attempt.job);
    if (!entry || !placed(entry->job->status()) || entry->job->record.attempt() != attempt.number)
      return nullptr;
    return is_on(entry->job->record, host_) ? entry : nullptr;
  }

  void hello(const report::HostCame& told) {
    HostLink& link = m_.hosts.link(number_);
    const bool was_silent = !link.connected && !link.lost && link.silent_since_us != 0;
    link.silent_before_us = was_silent ? std::max<std::int64_t>(0, now_.us - link.silent_since_us) : 0;
    link.came_us = now_.us;
    m_.connected(number_, true);
    link.lost = false;
    link.knows_go = told.knows_go;
    link.left_behind.clear();  // the host reports it again
    link.not_ours.clear();
    m_.time_host(number_);
    if (host_ != m_.own_host && m_.hosts.id(number_).ours()) m_.suspect_no_longer(now_);
    std::map<JobKey, const report::Held*> held;
    for (const auto& job : told.jobs) {
      if (placed_here(job.attempt))
        held[job.attempt.job] = &job;
      else
        end_stranger(job);
    }
    const std::set<JobKey> believed = m_.hosts.jobs(number_).jobs;
    for (const JobKey key : believed) {
      BookEntry& entry = m_.at(key);
      const auto found = held.find(key);
      const report::Held* here = found == held.end() ? nullptr : found->second;
      if (is_first(entry.job->record))
        first_host_back(entry, here, told.blank);
      else
        other_host_back(entry, here);
      if (placed(entry.job->status())) m_.vouch_for_silent_hosts(entry, now_, effects);
    }
    effects.push_back(effect::ScheduleSoon{});
  }

  void first_host_back(BookEntry& entry, const report::Held* here, bool blank) {
    event::HostBack back;
    back.blank = blank;
    if (here) back.held = here->state;
    back.knows_go = m_.hosts.link(number_).knows_go;
    m_.step(entry, back, now_, effects);
    if (!here || !placed(entry.job->status())) return;
    // Its state may have changed on the host while mbatchd was away.
    if (here->state == State::stopped && entry.job->record.signals().empty())
      m_.step(entry, event::StoppedThere{}, now_, effects);
    if (here->state == State::running) m_.step(entry, event::ResumedThere{}, now_, effects);
  }

  void other_host_back(BookEntry& entry, const report::Held* here) {
    const wire::JobRecord& record = entry.job->record;
    if (record.from().releasing()) {
      if (!here) return m_.step(entry, event::PartGone{host_}, now_, effects);
      return effects.push_back(effect::OrderRelease{host_, jobs::attempt_of(record)});
    }
    if (here) m_.step(entry, event::Prepared{host_}, now_, effects);
    if (!here) effects.push_back(effect::OrderExpect{entry.job->key(), host_, record.attempt()});
    for (const auto& sent : record.signals())
      effects.push_back(effect::OrderSignal{host_, jobs::signal_order(record, sent)});
  }

  // Ends an attempt on the host that the Book has no job for (any more).
  void end_stranger(const report::Held& held) {
    if (held.state == State::over) return;
    if (!held.first_host || held.state == State::prepared) {
      effects.push_back(effect::OrderRelease{host_, held.attempt});
      return;
    }
    wire::SentSignal kill;
    kill.set_action(wire::SentSignal::SEND);  // whatever JOB_CONTROLS makes of TERMINATE
    kill.set_signal(kSigkill);
    kill.set_number(kLastWord);
    effects.push_back(effect::OrderSignal{host_, {held.attempt, std::move(kill)}});
  }

  void prepared(const Attempt& attempt) {
    HostLink& link = m_.hosts.link(number_);
    link.trouble.clear();
    if (BookEntry* entry = placed_here(attempt))
      m_.step(*entry, event::Prepared{host_}, now_, effects);
    else
      effects.push_back(effect::OrderRelease{host_, attempt});
  }

  void ready(const report::Ready& told) {
    BookEntry* entry = first_of(told.attempt);
    if (!entry) return;
    entry->stream = std::make_unique<wire::StreamPlace>(told.stream);
    effects.push_back(effect::TellWaiters{entry->job->key()});
  }

  // Usage alone makes no SaveJob: the host reports it again soon, and the job's next change saves it.
  void take_usage(BookEntry& entry, const wire::JobUsage& told) {
    wire::JobRecord& record = entry.job->record;
    if (record.hosts_size() == 1) {
      *record.mutable_usage() = told;
      return;
    }
    if (!entry.usage) entry.usage = std::make_unique<std::map<HostNumber, wire::JobUsage>>();
    (*entry.usage)[number_] = told;
    *record.mutable_usage() = total(*entry.usage, m_.hosts, record.hosts());
  }

  void over(const report::Over& told) {
    BookEntry* entry = first_of(told.attempt);
    if (BookEntry* given_up = entry ? nullptr : given_up_here(told.attempt)) {
      m_.step(*given_up, event::GivenUpEnded{told}, now_, effects);
      if (finished(given_up->job->status())) return;
    }
    if (!entry) {
      // An attempt that the host never saw left nothing there to acknowledge.
      if (told.how != report::Over::How::never_seen)
        effects.push_back(effect::OrderAcknowledge{host_, told.attempt});
      return;
    }
    if (told.usage) take_usage(*entry, *told.usage);
    m_.end(*entry, told, now_, effects);
  }

  void post_over(const report::PostOver& told) {
    if (const auto held = m_.held_ends.find(told.attempt.job);
        held != m_.held_ends.end() && held->second.told.attempt == told.attempt && held->second.host == host_)
      return void(held->second.post = told);
    if (BookEntry* entry = ended_here(told.attempt))
      m_.step(*entry, event::PostEnded{told.failed}, now_, effects);
    effects.push_back(effect::OrderAcknowledge{host_, told.attempt});
  }

  Memory& m_;
  const std::string& host_;  // as the records write it
  HostNumber number_;
  WallTime now_;
};

}  // namespace

Effects HostLedger::dispatch(JobKey key, const event::Dispatched& plan, WallTime now) {
  Effects effects;
  memory_->hear_clock(now);
  BookEntry* entry = memory_->entry(key);
  if (!entry || entry->job->status() != wire::STATUS_PEND) return effects;
  memory_->place(*entry, plan, now, effects);
  for (const auto& host : entry->job->record.hosts())
    if (auto& link = memory_->hosts.link(host.name()); !link.connected && !plan.forwarded) {
      // The host disconnected after the plan was made: its patience counts for this job too.
      if (link.silent_since_us == 0 || link.lost) link.silent_since_us = now.us, link.lost = false;
      memory_->time_host(memory_->hosts.number(host.name()));
    }
  return effects;
}

Effects HostLedger::suspend(JobKey key, const event::SuspendPlanned& plan, WallTime now) {
  Effects effects;
  if (BookEntry* entry = memory_->entry(key)) memory_->step(*entry, plan, now, effects);
  return effects;
}

Effects HostLedger::resume(JobKey key, const event::ResumePlanned& plan, WallTime now) {
  Effects effects;
  if (BookEntry* entry = memory_->entry(key)) memory_->step(*entry, plan, now, effects);
  return effects;
}

Effects HostLedger::host_told(const std::string& host, const HostReport& report, WallTime now) {
  memory_->hear_clock(now);
  ReportHandler handler(*memory_, host, now);
  std::visit(handler, report);
  return std::move(handler.effects);
}

void HostLedger::not_known(const std::string& host, Unknown kind) {
  (kind == Unknown::recalls ? memory_->without_recalls : memory_->without_signals).insert(host);
}

Effects HostLedger::host_gone(const std::string& host, WallTime now, Duration silent) {
  memory_->without_recalls.erase(host);
  memory_->without_signals.erase(host);
  memory_->hear_clock(now);
  const HostNumber number = memory_->hosts.number(host);
  HostLink& link = memory_->hosts.link(number);
  if (!link.connected && link.silent_since_us != 0) return {};
  memory_->connected(number, false);
  const std::int64_t heard_us =
      now.us - std::chrono::duration_cast<std::chrono::microseconds>(silent).count();
  if (heard_us - link.came_us >= memory_->parameters.steady_after_s * 1'000'000) link.silent_before_us = 0;
  link.silent_since_us = std::max<std::int64_t>(1, heard_us - link.silent_before_us);
  memory_->time_host(number);
  Effects effects{effect::ScheduleSoon{}};
  const std::set<JobKey> there = memory_->hosts.jobs(number).jobs;
  for (const JobKey key : there)
    memory_->step(memory_->at(key), event::StartNotTaken{host + " has gone before it had the order", {}}, now,
                  effects);
  return effects;
}

std::string HostLedger::trouble(const std::string& host) const {
  const HostLink* link = memory_->hosts.find_link(host);
  return link == nullptr ? std::string() : link->trouble;
}
std::string HostLedger::left_behind(const std::string& host) const {
  const HostLink* link = memory_->hosts.find_link(host);
  return link == nullptr ? std::string() : link->left_behind;
}
std::string HostLedger::not_ours(const std::string& host) const {
  const HostLink* link = memory_->hosts.find_link(host);
  return link == nullptr ? std::string() : link->not_ours;
}
void HostLedger::set_own_host(std::string host) { memory_->own_host = std::move(host); }
bool HostLedger::suspects_itself() const { return memory_->suspects_itself; }

void Memory::connected(HostNumber host, bool so) {
  HostLink& link = hosts.link(host);
  if (link.connected == so) return;
  link.connected = so;
  if (hosts.id(host).text() == own_host || !hosts.id(host).ours()) return;
  so ? ++connected_others : --connected_others;
}

// Whether mbatchd has lost every other host, and at least one of them within the patience before this one. A host that never
// connected counts as lost at the start.
bool Memory::all_are_lost(HostNumber host) {
  const std::string& name = hosts.id(host).text();
  if (name == own_host || connected_others != 0) return false;
  const std::int64_t lately = hosts.link(host).silent_since_us - parameters.unknown_after_s * 1'000'000;
  const auto& hosts_of_files = config.cluster->cluster.hosts;
  return std::any_of(hosts_of_files.begin(), hosts_of_files.end(), [&](const auto& other) {
    if (!other.server || other.name == name || other.name == own_host) return false;
    const HostLink* link = hosts.find_link(other.name);
    const bool never_came = link == nullptr || link->silent_since_us == 0;
    return (never_came ? loaded_us : link->silent_since_us) > lately;
  });
}

// A host is back, so the network works. Hosts that are still away get the whole patience from now on.
void Memory::suspect_no_longer(WallTime now) {
  if (!std::exchange(suspects_itself, false)) return;
  hosts.each_link([&](HostNumber host, HostLink& link) {
    if (link.connected || !link.lost) return;
    link.lost = false;
    link.silent_since_us = now.us;
    time_host(host);
  });
}

void HostLedger::borrowed(BorrowedNames hosts) {
  memory_->config.borrowed = std::make_shared<const BorrowedNames>(std::move(hosts));
  memory_->forget_returned_hosts();
}

// Now and then: a provider may lend other hosts every minute. What an administrator has closed is kept by its name, in host_controls.
void Memory::forget_returned_hosts() {
  constexpr std::size_t kMany = 1000;
  if (hosts.count() < std::max(kMany, forgets_hosts_at)) return;
  std::vector<HostNumber> returned;
  hosts.each_link([&](HostNumber host, HostLink& link) {
    const HostId& id = hosts.id(host);
    if (id.ours() || id.is_cluster() || config.borrowed->count(id) != 0 || link.connected) return;
    if (const JobsOf* there = hosts.find_jobs(id.text()); there == nullptr || there->jobs.empty())
      returned.push_back(host);
  });
  for (const HostNumber host : returned) {
    if (const auto due = hosts.link(host).due; due != 0) deadlines.erase({due, Timer::host, {}, host});
    hosts.forget(host);
  }
  forgets_hosts_at = 2 * hosts.count();
}

std::size_t HostLedger::known_hosts() const { return memory_->hosts.count(); }

void HostLedger::cpu_factors(std::unordered_map<HostId, double> factors) {
  memory_->cpu_factors = std::move(factors);
}

void Memory::place(BookEntry& entry, event::Dispatched plan, WallTime now, Effects& effects) {
  if (const auto& given = plan.placement.hosts; !given.empty())
    plan.wait_for_go = is_part(entry.job->record) || hosts.link(given[0].host.text()).knows_go;
  step(entry, plan, now, effects);
  vouch_for_silent_hosts(entry, now, effects);
}

void Memory::vouch_for_silent_hosts(BookEntry& entry, WallTime now, Effects& effects) {
  const int others = is_part(entry.job->record) ? 0 : 1;
  for (int i = others; i < entry.job->record.hosts_size() && !entry.job->launch.go_given; ++i) {
    const std::string host = entry.job->record.hosts(i).name();
    if (!HostId(host).ours()) continue;  // a part, of which its cluster says whether it is prepared
    if (const auto& link = hosts.link(host); link.connected && !link.knows_go)
      step(entry, event::Prepared{host}, now, effects);
  }
}

bool HostLedger::connected(const std::string& host) const {
  const HostLink* link = memory_->hosts.find_link(host);
  return link != nullptr && link->connected;
}

}  // namespace rollcall::sched::book
