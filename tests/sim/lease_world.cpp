#include "tests/sim/lease_world.hpp"

#include <algorithm>

namespace rollcall::sched::lease {
namespace {

res::LeaseGrant res_number(const GrantNumber& number) { return {number.term, number.counter}; }

}  // namespace

void LeaseWorld::begin() {
  ProviderLease lease;
  lease.id = {"east", kLease};
  lease.consumer = "west";
  provider_disk_.lease = lease;
  real_.disk = provider_disk_;
  old_.exists = false;
  policy_ = slots_;
  for (const auto& [host, slots] : slots_) res_[host].numbers.named(kLease, {});
  event::Exported exported;
  for (const auto& [host, slots] : slots_)
    exported.hosts.push_back({host, shared_ && host != "a" ? 0 : shared_ ? 1 : slots, {}, {}, false});
  exported.resources = lends(kLicences);
  decide(real_, exported);
  decide(real_, event::Asked{});
}

void LeaseWorld::say(WorldMessage message) {
  // A full network loses.
  if (unreliable_ && bag_.size() >= 24) bag_.erase(bag_.begin() + pick(static_cast<int>(bag_.size())));
  bag_.push_back(std::move(message));
}

void LeaseWorld::step() {
  check_out_or_tell();
  switch (pick(24)) {
    case 0:
    case 1:
    case 2:
      place();
      break;
    case 3:
      consumer_tick();
      break;
    case 4:
      end_a_job();
      break;
    case 5:
      provider_tick(old_.exists && pick(2) ? old_ : real_);
      break;
    case 6:
      res_tick(some_host());
      break;
    case 7:
      start_local();
      break;
    case 8:
      if (one_in(3)) shared_ ? divide() : change_policy(false);
      break;
    case 9:
      if (one_in(4)) restart_provider(pick(3) > 0);
      if (one_in(8)) old_.exists = false;
      break;
    case 10:
      if (one_in(6)) {  // RES starts again, and its connections end; now and then without its file
        const std::string host = some_host();
        std::erase_if(bag_, [&](const WorldMessage& message) {
          return message.host == host && message.kind >= Kind::run && message.kind <= Kind::kill;
        });
        if (one_in(3) && !old_.exists) res_[host].numbers = {}, res_[host].term = 0;  // one file has both
      }
      break;
    case 11:
      if (one_in(6)) restart_consumer();
      break;
    default:
      deliver(false);
  }
  check();
}

void LeaseWorld::quiet(bool withdrawn) {
  unreliable_ = false;
  old_.exists = false;
  change_policy(withdrawn);
  settle();
}

void LeaseWorld::reclaim_idle() {
  divide();
  settle();
}

void LeaseWorld::settle() {
  for (int round = 0; round < 60; ++round) {
    check_out_or_tell();
    provider_tick(real_);
    consumer_tick();
    for (const auto& [host, slots] : slots_) res_tick(host);
    while (!bag_.empty()) deliver(true);
    end_a_job();
    check();
  }
}

void LeaseWorld::deliver(bool reliable) {
  if (bag_.empty()) return;
  const auto place = static_cast<std::size_t>(pick(static_cast<int>(bag_.size())));
  WorldMessage message = bag_[place];
  const bool again = !reliable && one_in(12);
  if (!again) bag_.erase(bag_.begin() + static_cast<std::ptrdiff_t>(place));
  if (!reliable && one_in(16)) return;
  handle(std::move(message));
}

void LeaseWorld::handle(WorldMessage message) {
  switch (message.kind) {
    case Kind::start:
    case Kind::ask:
    case Kind::answer:
      // A consumer that has heard a newer master does not talk to the older one.
      provider_hears(old_.exists && consumer_disk_.term < real_.term && pick(2) ? old_ : real_, message);
      return;
    case Kind::fenced:
    case Kind::holds:
    case Kind::ended:
      provider_hears(old_.exists && message.to_old_master ? old_ : real_, message);
      return;
    case Kind::stands:
    case Kind::accepted:
    case Kind::refused:
    case Kind::over:
    case Kind::unlisted:
      consumer_hears(message);
      return;
    default:
      res_hears(res_[message.host], message);
  }
}

// ---------------------------------------------------------------- the provider

HostsNow LeaseWorld::now_of(const Master& master) const {
  HostsNow now;
  for (const auto& [host, slots] : slots_) {
    HostNow& of = now[host];
    for (const auto& [number, attempt] : master.disk.attempts)
      if (attempt.host == host && !attempt.over) ++of.used;
    int lent = 0, locals = 0;
    for (const auto& [number, at] : master.disk.locals) locals += at == host ? 1 : 0;
    if (fault_ == Fault::local_jobs_are_not_counted) locals = 0;
    for (const LentHost& each : master.disk.lease->hosts) lent += each.has.host == host ? each.has.slots : 0;
    if (fault_ == Fault::used_slots_are_not_counted) of.used = 0;
    of.free = std::max(slots - locals - std::max(lent, of.used), 0);
    if (fault_ == Fault::free_slots_are_not_counted) of.free = slots;
    if (!master.heard.contains(host) && fault_ != Fault::slots_are_used_before_res_has_reported) of.free = 0;
    if (const auto fenced = master.fenced.find(host); fenced != master.fenced.end())
      of.fenced = fenced->second;
    if (fault_ == Fault::slots_are_freed_without_settling) of.fenced = master.disk.lease->number;
  }
  return now;
}

void LeaseWorld::decide(Master& master, const ProviderEvent& event) {
  if (!master.disk.lease) return;
  const ProviderDisk before = master.disk;
  const auto effects =
      sched::lease::step(*master.disk.lease, event, now_of(master), master.term, resources_now_of(master));
  // It dies before the commit, or behind it: then nothing is said.
  if (unreliable_ && !master.is_old && one_in(60)) {
    if (one_in(2)) commit(master, before);
    restart_provider(false);
    return;
  }
  commit(master, before);
  carry_out(master, effects);
}

// Only the master that the store belongs to gets its rows to disk.
void LeaseWorld::commit(Master& master, const ProviderDisk& before) {
  if (master.is_old) return;
  ProviderDisk stored = master.disk;
  if (fault_ == Fault::grant_is_not_stored)
    stored.lease = provider_disk_.lease ? provider_disk_.lease : before.lease;
  if (fault_ == Fault::accepted_start_is_not_stored) stored.attempts = provider_disk_.attempts;
  if (fault_ == Fault::local_start_is_not_stored) stored.locals = provider_disk_.locals;
  provider_disk_ = stored;
}

void LeaseWorld::carry_out(Master& master, const ProviderEffects& effects) {
  for (const ProviderEffect& each : effects) {
    if (std::holds_alternative<effect::Tell>(each)) tell(master);
    if (const auto* fence = std::get_if<effect::Fence>(&each))
      say({.kind = Kind::fence, .host = fence->host, .number = fence->number, .term = master.term});
    if (const auto* freed = std::get_if<effect::Freed>(&each)) moved += freed->slots;
    if (const auto* kill = std::get_if<effect::Kill>(&each)) {
      int left = kill->slots;
      for (auto attempt = master.disk.attempts.rbegin(); attempt != master.disk.attempts.rend() && left > 0;
           ++attempt)
        if (attempt->second.host == kill->host && !attempt->second.over) {
          say({.kind = Kind::kill, .host = kill->host, .attempt = attempt->first, .term = master.term});
          attempt->second.over = fault_ == Fault::killed_jobs_count_as_over;
          --left;
        }
    }
    if (const auto* killed = std::get_if<effect::KillHolders>(&each)) kill_holders(master, killed->instances);
    if (std::holds_alternative<effect::Forget>(each) && master.disk.lease) {
      const ProviderDisk before = master.disk;
      master.disk.lease.reset();
      commit(master, before);
      if (!master.is_old) provider_disk_.lease.reset();
      return;
    }
  }
}

void LeaseWorld::tell(const Master& master) {
  WorldMessage stands{.kind = Kind::stands, .term = master.term};
  stands.phase = master.disk.lease->phase;
  stands.number = master.disk.lease->number;
  stands.hosts = told_hosts(*master.disk.lease);
  stands.resources = told_resources(*master.disk.lease);
  say(stands);
}

void LeaseWorld::restart_provider(bool old_one_lives) {
  if (old_one_lives && !old_.exists) {
    old_ = real_;
    old_.exists = old_.is_old = true;
  }
  real_.disk = provider_disk_;
  if (real_.disk.lease) {
    real_.disk.lease->forget_what_was_said();
    for (LentResource& resource : real_.disk.lease->resources)  // what the row does not have
      resource.wanted = resource.has.instances, resource.kills = false;
  }
  if (fault_ != Fault::term_is_not_raised_at_a_restart) ++real_.term;
  real_.fenced.clear();
  real_.heard.clear();
}

void LeaseWorld::provider_hears(Master& master, const WorldMessage& message) {
  ProviderDisk& disk = master.disk;
  switch (message.kind) {
    case Kind::start:
      return start_asked(master, message);
    case Kind::ask: {
      const auto known = disk.attempts.find(message.attempt);
      if (known != disk.attempts.end())
        say({.kind = known->second.over ? Kind::over : Kind::accepted,
             .attempt = message.attempt,
             .term = master.term});
      else  // lost with the other master: RES must say that it does not run
        say({.kind = Kind::kill, .host = message.host, .attempt = message.attempt, .term = master.term});
      return;
    }
    case Kind::answer:
      if (!disk.lease) return say({.kind = Kind::unlisted, .term = master.term});
      if (message.wants) decide(master, event::Asked{});
      if (disk.lease && message.number != GrantNumber{})
        decide(master, event::Acknowledged{message.number, message.uses});
      return;
    case Kind::fenced:
    case Kind::holds: {
      if (message.term != master.term && fault_ != Fault::report_of_an_older_term_is_believed) return;
      if (ends_jobs_of_a_second_master(master, message)) return;
      master.heard.insert(message.host);
      if (message.kind == Kind::fenced) master.fenced[message.host] = message.number;
      return decide(master, event::Changed{});
    }
    case Kind::ended: {
      const ProviderDisk before = disk;
      if (message.attempt < 0) {
        disk.locals.erase(-message.attempt);
      } else {
        disk.attempts[message.attempt].host = message.host;
        disk.attempts[message.attempt].over = true;
        say({.kind = Kind::over, .attempt = message.attempt, .term = master.term});
      }
      commit(master, before);
      return decide(master, event::Changed{});
    }
    default:
      return;
  }
}

// As mbatchd does: jobs that it does not know are ended, and the host counts as heard when they are over (host_grants.hpp).
bool LeaseWorld::ends_jobs_of_a_second_master(Master& master, const WorldMessage& message) {
  if (fault_ == Fault::jobs_of_a_second_master_are_not_heard_of) return false;
  bool some = false;
  for (const int attempt : message.attempts)
    if (!master.disk.attempts.contains(attempt)) {
      say({.kind = Kind::kill, .host = message.host, .attempt = attempt, .term = master.term});
      some = true;
    }
  if (some) master.heard.erase(message.host);
  return some;
}

void LeaseWorld::start_asked(Master& master, const WorldMessage& message) {
  ProviderDisk& disk = master.disk;
  const auto answer = [&](Kind kind) {
    say({.kind = kind, .attempt = message.attempt, .term = master.term});
  };
  if (disk.refused.contains(message.attempt)) return answer(Kind::refused);
  if (const auto known = disk.attempts.find(message.attempt); known != disk.attempts.end()) {
    if (!known->second.over)
      say({.kind = Kind::run,
           .host = message.host,
           .attempt = message.attempt,
           .number = message.number,
           .term = master.term});
    return answer(known->second.over ? Kind::over : Kind::accepted);
  }
  // Another master may have started jobs there: the consumer asks again.
  if (!master.heard.contains(message.host) && fault_ != Fault::start_is_passed_before_res_has_reported)
    return;
  if (licences_ != Licences::none && holds(message.attempt) && !all_heard(master)) return;
  const ProviderDisk before = disk;
  int used = 0;
  for (const auto& [number, attempt] : disk.attempts)
    used += attempt.host == message.host && !attempt.over ? 1 : 0;
  if (fault_ == Fault::start_beyond_the_grant_is_passed) used = 0;
  const bool taken = disk.lease && disk.lease->may_start(message.host, 1, message.number, used) &&
                     may_hold(master, message.attempt);
  if (taken)
    disk.attempts[message.attempt] = {message.host, message.number, true, false};
  else
    disk.refused.insert(message.attempt);
  commit(master, before);
  if (taken)
    say({.kind = Kind::run,
         .host = message.host,
         .attempt = message.attempt,
         .number = message.number,
         .term = master.term});
  answer(taken ? Kind::accepted : Kind::refused);
}

// The provider's own scheduler takes slots of the lease that it holds.
void LeaseWorld::start_local() {
  if (!real_.disk.lease) return;
  const std::string host = some_host();
  if (now_of(real_)[host].free <= 0) return;
  if (licences_ != Licences::none && holds(next_local_) && licences_free(real_) <= 0) ++next_local_;
  const ProviderDisk before = real_.disk;
  const int job = next_local_++;
  real_.disk.locals[job] = host;
  commit(real_, before);
  say({.kind = Kind::run_local, .host = host, .attempt = job, .term = real_.term});
}

void LeaseWorld::divide() {
  if (!real_.disk.lease || real_.disk.lease->phase != Phase::active) return;
  std::vector<SharedHost> hosts;
  std::vector<std::string> names;
  const HostsNow now = now_of(real_);
  for (const auto& [name, slots] : slots_) {
    SharedHost host{slots, 0, now.at(name).used, 0};
    for (const LentHost& lent : real_.disk.lease->hosts)
      if (lent.has.host == name) host.consumer_has = lent.has.slots;
    for (const auto& [job, at] : real_.disk.locals) host.provider_uses += at == name ? 1 : 0;
    hosts.push_back(host);
    names.push_back(name);
  }
  const Division division = reclaim(hosts);
  if (division.to == Division::To::nobody) return;
  event::Divided divided;
  for (std::size_t i = 0; i < names.size(); ++i) divided.consumer_has[names[i]] = division.consumer_has[i];
  decide(real_, divided);
}

void LeaseWorld::change_policy(bool withdrawn) {
  if (!real_.disk.lease) return;
  event::Exported exported;
  exported.withdrawn = withdrawn;
  for (const auto& [host, slots] : slots_) {
    const int wanted = unreliable_ ? pick(slots + 1) : slots;
    if (wanted > 0) exported.hosts.push_back({host, wanted, {}, {}, false});
  }
  exported.resources = lends(unreliable_ ? static_cast<int>(exported.hosts.size()) : kLicences);
  decide(real_, exported);
}

void LeaseWorld::provider_tick(Master& master) {
  if (master.disk.lease) tell(master);  // as after a connection
  decide(master, event::Changed{});
  if (master.is_old) return;
  // What was ordered and may be lost is ordered again.
  for (const auto& [number, attempt] : master.disk.attempts)
    if (!attempt.over)
      say({.kind = Kind::run,
           .host = attempt.host,
           .attempt = number,
           .number = attempt.number,
           .term = master.term});
  for (const auto& [job, host] : master.disk.locals)
    say({.kind = Kind::run_local, .host = host, .attempt = job, .term = master.term});
  if (master.disk.lease)
    for (const auto& [host, slots] : slots_)
      say({.kind = Kind::fence, .host = host, .number = master.disk.lease->number, .term = master.term});
}

// ---------------------------------------------------------------- the consumer

JobsNow LeaseWorld::jobs_now() const {
  JobsNow now;
  for (const auto& [number, attempt] : consumer_disk_.attempts) {
    now.any = true;
    if (!attempt.accepted && consumer_disk_.lease && attempt.number < consumer_disk_.lease->number)
      now.unanswered = true;
  }
  return now;
}

void LeaseWorld::consumer_decides(const ConsumerEvent& event) {
  if (!consumer_disk_.lease) return;
  bool forget = false;
  for (const ConsumerEffect& each : sched::lease::step(*consumer_disk_.lease, event, jobs_now())) {
    if (std::holds_alternative<effect::Answer>(each)) answer();
    forget = forget || std::holds_alternative<effect::Forget>(each);
  }
  if (forget) consumer_disk_.lease.reset();
}

void LeaseWorld::answer() {
  WorldMessage message{.kind = Kind::answer};
  const ConsumerLease& lease = *consumer_disk_.lease;
  message.wants = lease.wants;
  JobsNow jobs = jobs_now();
  if (fault_ == Fault::acknowledges_with_unanswered_starts) jobs.unanswered = false;
  message.number = acknowledges(lease, jobs);
  for (const auto& [number, attempt] : consumer_disk_.attempts)
    if (fault_ != Fault::acknowledges_without_uses &&
        (attempt.accepted || fault_ != Fault::acknowledges_with_unanswered_starts))
      ++message.uses[attempt.host];
  say(message);
}

void LeaseWorld::consumer_hears(const WorldMessage& message) {
  if (message.term < consumer_disk_.term) return;
  consumer_disk_.term = message.term;
  auto& attempts = consumer_disk_.attempts;
  const auto known = attempts.find(message.attempt);
  switch (message.kind) {
    case Kind::stands:
      if (!consumer_disk_.lease) consumer_disk_.lease = ConsumerLease{.id = {"east", kLease}};
      return consumer_decides(event::Told{message.phase, message.number, message.hosts, message.resources});
    case Kind::unlisted:
      return consumer_decides(event::Unlisted{});
    case Kind::accepted:
      if (known != attempts.end()) known->second.accepted = true;
      return consumer_decides(event::Answered{});
    case Kind::refused:
      if (known == attempts.end() || known->second.accepted) return;
      [[fallthrough]];
    case Kind::over:
      attempts.erase(message.attempt);
      return consumer_decides(event::Answered{});
    default:
      return;
  }
}

void LeaseWorld::place() {
  if (!consumer_disk_.lease) return;
  const ConsumerLease& lease = *consumer_disk_.lease;
  if (!lease.wants) return consumer_decides(event::Wanted{});
  if (!lease.placeable() || lease.hosts.empty()) return;
  const LeasedHost& host = lease.hosts[static_cast<std::size_t>(pick(static_cast<int>(lease.hosts.size())))];
  int uses = 0;
  for (const auto& [number, attempt] : consumer_disk_.attempts) uses += attempt.host == host.host ? 1 : 0;
  // This consumer counts badly where the provider must notice it.
  if (uses >= host.slots && fault_ != Fault::start_beyond_the_grant_is_passed) return;
  if (licences_ != Licences::none && !consumer_may_hold(consumer_disk_.next)) ++consumer_disk_.next;
  const int number = consumer_disk_.next++;
  consumer_disk_.attempts[number] = {host.host, lease.number, false, false};
  say({.kind = Kind::start, .host = host.host, .attempt = number, .number = lease.number});
}

void LeaseWorld::consumer_tick() {
  for (auto& [number, attempt] : consumer_disk_.attempts) {
    if (attempt.number == GrantNumber{}) {
      if (!consumer_disk_.lease) continue;
      attempt.number = consumer_disk_.lease->number;
    }
    say({.kind = attempt.accepted ? Kind::ask : Kind::start,
         .host = attempt.host,
         .attempt = number,
         .number = attempt.number});
  }
  if (consumer_disk_.lease) consumer_decides(event::Answered{});
}

// Messages to it and from it are lost with its connections. Its store has the attempts, but neither their grant numbers nor whether they were
// accepted: it asks for them again when the provider has told of the lease.
void LeaseWorld::restart_consumer() {
  std::erase_if(bag_, [](const WorldMessage& message) { return message.kind <= Kind::unlisted; });
  consumer_disk_.lease.reset();
  for (auto& [number, attempt] : consumer_disk_.attempts)
    attempt.accepted = false, attempt.number = {}, ++asked_anew;
}

// ---------------------------------------------------------------- RES

void LeaseWorld::res_hears(Res& res, const WorldMessage& message) {
  if (message.term < res.term && fault_ != Fault::res_obeys_an_older_term) return;
  res.term = std::max(res.term, message.term);
  const bool old = old_.exists && message.term == old_.term;
  const auto ended = [&](int attempt) {
    say({.kind = Kind::ended,
         .host = message.host,
         .attempt = attempt,
         .term = res.term,
         .to_old_master = old});
  };
  switch (message.kind) {
    case Kind::run: {
      if (res.running.contains(message.attempt)) return;
      if (res.seen.contains(message.attempt) && fault_ == Fault::res_runs_an_ended_attempt_again && one_in(2))
        return void(res.running.insert(message.attempt));
      if (res.seen.contains(message.attempt)) return ended(message.attempt);
      bool changed = false;
      auto answer = res.numbers.start(kLease, res_number(message.number), changed);
      if (answer == res::LeaseNumbers::Answer::older && fault_ == Fault::res_takes_an_older_number)
        answer = res::LeaseNumbers::Answer::accepted;
      if (answer == res::LeaseNumbers::Answer::unnamed) return;  // until mbatchd names it
      res.seen.insert(message.attempt);
      if (answer == res::LeaseNumbers::Answer::older) return ended(message.attempt);
      res.running.insert(message.attempt);
      ++started;
      holders += licences_ != Licences::none && holds(message.attempt) ? 1 : 0;
      return;
    }
    case Kind::run_local:
      if (res.seen.contains(-message.attempt)) {
        if (!res.locals.contains(message.attempt)) ended(-message.attempt);
        return;
      }
      res.seen.insert(-message.attempt);
      res.locals.insert(message.attempt);
      return;
    case Kind::fence:
      res.numbers.named(kLease, res_number(message.number));
      if (res.numbers.known().at(kLease) != res_number(message.number)) return;
      say({.kind = Kind::fenced,
           .host = message.host,
           .number = message.number,
           .term = res.term,
           .attempts = fault_ == Fault::res_reports_no_jobs ? std::set<int>() : res.running,
           .to_old_master = old});
      return;
    case Kind::kill:
      res.seen.insert(message.attempt);
      if (fault_ != Fault::res_tells_an_end_that_has_not_come) res.running.erase(message.attempt);
      return ended(message.attempt);
    default:
      return;
  }
}

void LeaseWorld::end_a_job() {
  for (auto& [host, res] : res_) {
    if (unreliable_ && pick(2)) continue;
    if (!res.running.empty() && pick(2)) res.running.erase(res.running.begin());
    if (!res.locals.empty() && pick(2)) res.locals.erase(res.locals.begin());
  }
}

void LeaseWorld::res_tick(const std::string& host) {
  Res& res = res_[host];
  say({.kind = Kind::holds,
       .host = host,
       .term = res.term,
       .attempts = fault_ == Fault::res_reports_no_jobs ? std::set<int>() : res.running,
       .to_old_master = old_.exists && res.term == old_.term});
}

}  // namespace rollcall::sched::lease
