// LeaseWorld: the provider: its masters, its store, and what it hears.
#include <algorithm>

#include "tests/sim/lease_world.hpp"

namespace rollcall::sched::lease {

// ---------------------------------------------------------------- what is true now

std::vector<const LeaseOfPolicy*> LeaseWorld::all_leases(const Master& master) const {
  std::vector<const LeaseOfPolicy*> all;
  for (const auto& [number, of] : master.disk.leases) all.push_back(&of);
  return all;
}

std::map<std::string, OwnHost> LeaseWorld::own_hosts(const Master& master) const {
  std::map<std::string, OwnHost> own;
  for (const auto& [host, slots] : slots_) {
    OwnHost& to = own[host];
    to.slots = slots;
    to.heard = master.heard.contains(host) || fault_ == Fault::slots_are_used_before_res_has_reported;
    to.known = true;  // licences_now() looks at that
  }
  if (fault_ != Fault::local_jobs_are_not_counted)
    for (const auto& [number, host] : master.disk.locals) ++own[host].used;
  return own;
}

Attempts LeaseWorld::attempts_of(const Master& master) const {
  Attempts attempts;
  if (fault_ == Fault::used_slots_are_not_counted) return attempts;
  for (const auto& [number, attempt] : master.disk.attempts)
    if (!attempt.over) ++attempts[{attempt.lease, attempt.host}].slots;
  return attempts;
}

HostsNow LeaseWorld::now_of(const Master& master, const LeaseOfPolicy& of) const {
  const std::uint64_t number = of.lease.id.number;  // 0: the provider asks itself
  std::map<std::uint64_t, LeaseOfPolicy> leases;
  const bool to_be = number != 0 && fault_ == Fault::other_leases_count_as_they_are_to_be;
  if (to_be) leases = master.disk.leases;
  for (auto& [other, lease] : leases)
    for (LentHost& host : lease.lease.hosts)
      if (other != number) host.has.slots = std::min(host.has.slots, host.wanted);
  std::vector<const LeaseOfPolicy*> all;
  for (const auto& [other, lease] : to_be ? leases : master.disk.leases)
    if (number == 0 || other == number || fault_ != Fault::slots_of_other_leases_are_not_counted)
      all.push_back(&lease);
  auto added = added_slots(policies_);
  if (fault_ == Fault::slots_that_policies_add_are_not_counted)
    for (auto& [host, slots] : added) slots = kMostInstances;
  HostsNow now = hosts_now(of, all, own_hosts(master), added, attempts_of(master));
  for (auto& [host, here] : now) {
    if (fault_ == Fault::free_slots_are_not_counted && master.heard.contains(host))
      here.free = slots_.at(host);
    if (const auto fenced = master.fenced.find({number, host}); fenced != master.fenced.end())
      here.fenced = fenced->second;
    if (fault_ == Fault::slots_are_freed_without_settling) here.fenced = of.lease.number;
  }
  return now;
}

// Whether the provider's own scheduler has a slot there. Of whole hosts that are exported it has none, of hosts with PER_HOST its own.
bool LeaseWorld::own_slot_is_free(const std::string& host) const {
  LeaseOfPolicy asks;
  asks.policy = policy_name(whole_policy());
  asks.lease.hosts.push_back({{host, 0, {}, {}, false}, 1});
  if (!adds_slots() && now_of(real_, asks).at(host).free <= 0) return false;
  if (!several()) return true;
  const auto lent = lent_hosts(all_leases(real_), attempts_of(real_));
  const auto here = lent.find(host);
  const int slots = here == lent.end()   ? slots_.at(host)
                    : here->second.whole ? 0
                                         : slots_.at(host) - here->second.slots;
  return real_.heard.contains(host) && own_hosts(real_).at(host).used < slots;
}

// ---------------------------------------------------------------- what it decides

// False: the store did not keep it, or the provider died.
bool LeaseWorld::decide(Master& master, std::uint64_t number, const ProviderEvent& event) {
  const auto of = master.disk.leases.find(number);
  if (of == master.disk.leases.end()) return true;
  const ProviderLease before = of->second.lease;
  const auto effects = sched::lease::step(of->second.lease, event, now_of(master, of->second), master.term,
                                          licences_now(master, of->second));
  // Two consumers make more steps in the same time.
  const int seldom = several() ? 200 : 60;
  if (several() && unreliable_ && !master.is_old && one_in(seldom)) {
    of->second.lease = before;
    return false;
  }
  // It dies before the commit, or behind it: then nothing is said.
  if (unreliable_ && !master.is_old && one_in(seldom)) {
    if (one_in(2)) commit_leases(master);
    restart_provider(false);
    return false;
  }
  commit_leases(master);
  note_growth(before, of->second.lease);
  carry_out(master, number, effects);
  return true;
}

void LeaseWorld::decide_all(Master& master, const ProviderEvent& event) {
  for (const std::uint64_t number : numbers(master.disk.leases)) decide(master, number, event);
}

void LeaseWorld::note_growth(const ProviderLease& before, const ProviderLease& now) {
  const auto slots_of = [](const ProviderLease& lease, const std::string& host) {
    for (const LentHost& lent : lease.hosts)
      if (lent.has.host == host) return lent.has.slots;
    return 0;
  };
  for (const LentHost& lent : now.hosts) {
    const int more = lent.has.slots - slots_of(before, lent.has.host);
    if (more <= 0) continue;
    auto& had = had_[lent.has.host];
    had.insert(now.consumer);
    if (had.size() > 1) passed_on += more;
  }
}

// Only the master that the store belongs to gets its rows to disk.
void LeaseWorld::commit_leases(const Master& master) {
  if (master.is_old) return;
  auto stored = master.disk.leases;
  if (fault_ == Fault::grant_is_not_stored)
    for (auto& [number, of] : stored)
      if (const auto kept = provider_disk_.leases.find(number); kept != provider_disk_.leases.end())
        of = kept->second;
  provider_disk_.leases = std::move(stored);
}

void LeaseWorld::commit_jobs(const Master& master) {
  if (master.is_old) return;
  if (fault_ != Fault::accepted_start_is_not_stored) provider_disk_.attempts = master.disk.attempts;
  if (fault_ != Fault::local_start_is_not_stored) provider_disk_.locals = master.disk.locals;
  provider_disk_.refused = master.disk.refused;
}

void LeaseWorld::carry_out(Master& master, std::uint64_t number, const ProviderEffects& effects) {
  for (const ProviderEffect& each : effects) {
    if (std::holds_alternative<effect::Tell>(each)) tell(master, number);
    if (const auto* fence = std::get_if<effect::Fence>(&each))
      say({.kind = Kind::fence,
           .lease = number,
           .host = fence->host,
           .number = fence->number,
           .term = master.term});
    if (const auto* freed = std::get_if<effect::Freed>(&each)) moved += freed->slots;
    if (const auto* killed = std::get_if<effect::Kill>(&each)) kill(master, number, *killed);
    if (const auto* killed = std::get_if<effect::KillHolders>(&each))
      kill_holders(master, number, killed->instances);
    if (std::holds_alternative<effect::Forget>(each)) {
      master.disk.leases.erase(number);
      commit_leases(master);
      return;
    }
  }
}

void LeaseWorld::kill(Master& master, std::uint64_t lease, const effect::Kill& kill) {
  int left = kill.slots;
  for (auto attempt = master.disk.attempts.rbegin(); attempt != master.disk.attempts.rend() && left > 0;
       ++attempt)
    if (attempt->second.lease == lease && attempt->second.host == kill.host && !attempt->second.over) {
      say({.kind = Kind::kill, .host = kill.host, .attempt = attempt->first, .term = master.term});
      attempt->second.over = fault_ == Fault::killed_jobs_count_as_over;
      --left;
    }
}

void LeaseWorld::tell(const Master& master, std::uint64_t number) {
  const ProviderLease& lease = master.disk.leases.at(number).lease;
  WorldMessage stands{.kind = Kind::stands, .lease = number, .term = master.term};
  for (const ConsumerSide& consumer : consumers_)
    if (consumer.cluster == lease.consumer) stands.consumer = consumer.place;
  stands.phase = lease.phase;
  stands.number = lease.number;
  stands.hosts = told_hosts(lease);
  stands.resources = told_resources(lease);
  say(stands);
}

void LeaseWorld::restart_provider(bool old_one_lives) {
  if (old_one_lives && !old_.exists) {
    old_ = real_;
    old_.exists = old_.is_old = true;
  }
  real_.disk = provider_disk_;
  for (auto& [number, of] : real_.disk.leases) {
    of.lease.forget_what_was_said();
    if (several()) of.both_sides.clear();                // until it exports again
    for (LentResource& resource : of.lease.resources) {  // the row has no other wish
      resource.kills = has_left(of.lease, resource);
      if (!resource.kills) resource.wanted = resource.has.instances;
    }
  }
  if (fault_ != Fault::term_is_not_raised_at_a_restart) ++real_.term;
  real_.fenced.clear();
  real_.heard.clear();
  real_.offered.clear();
}

// ---------------------------------------------------------------- what it hears

void LeaseWorld::provider_hears(Master& master, const WorldMessage& message) {
  switch (message.kind) {
    case Kind::start:
      return start_asked(master, message);
    case Kind::ask:
      return asked_of(master, message);
    case Kind::answer:
      return answered(master, message);
    case Kind::fenced:
    case Kind::holds:
      if (message.term != master.term && fault_ != Fault::report_of_an_older_term_is_believed) return;
      if (ends_jobs_of_a_second_master(master, message)) return;
      master.heard.insert(message.host);
      if (message.kind == Kind::fenced) master.fenced[{message.lease, message.host}] = message.number;
      return decide_all(master, event::Changed{});
    case Kind::ended:
      return ended(master, message);
    default:
      return;
  }
}

void LeaseWorld::say_of_attempt(const Master& master, Kind kind, int attempt) {
  say({.kind = kind, .consumer = consumer_of(attempt).place, .attempt = attempt, .term = master.term});
}

void LeaseWorld::asked_of(Master& master, const WorldMessage& message) {
  const auto known = master.disk.attempts.find(message.attempt);
  if (known != master.disk.attempts.end())
    return say_of_attempt(master, known->second.over ? Kind::over : Kind::accepted, message.attempt);
  // Lost with the other master: RES must say that it does not run.
  say({.kind = Kind::kill, .host = message.host, .attempt = message.attempt, .term = master.term});
}

void LeaseWorld::answered(Master& master, const WorldMessage& message) {
  if (!master.disk.leases.contains(message.lease))
    return say(
        {.kind = Kind::unlisted, .consumer = message.consumer, .lease = message.lease, .term = master.term});
  if (message.wants) decide(master, message.lease, event::Asked{});
  if (message.number != GrantNumber{})
    decide(master, message.lease, event::Acknowledged{message.number, message.uses});
}

void LeaseWorld::ended(Master& master, const WorldMessage& message) {
  ProviderDisk& disk = master.disk;
  if (message.attempt < 0) {
    disk.locals.erase(-message.attempt);
  } else {
    disk.attempts[message.attempt].host = message.host;
    disk.attempts[message.attempt].over = true;
    say_of_attempt(master, Kind::over, message.attempt);
  }
  commit_jobs(master);
  decide_all(master, event::Changed{});
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

void LeaseWorld::order_start(const Master& master, int attempt, const GrantNumber& number) {
  const Attempt& of = master.disk.attempts.at(attempt);
  say({.kind = Kind::run,
       .lease = of.lease,
       .host = of.host,
       .attempt = attempt,
       .number = number,
       .term = master.term});
}

void LeaseWorld::start_asked(Master& master, const WorldMessage& message) {
  ProviderDisk& disk = master.disk;
  const auto answer = [&](Kind kind) { say_of_attempt(master, kind, message.attempt); };
  if (disk.refused.contains(message.attempt)) return answer(Kind::refused);
  if (const auto known = disk.attempts.find(message.attempt); known != disk.attempts.end()) {
    if (!known->second.over) order_start(master, message.attempt, message.number);
    return answer(known->second.over ? Kind::over : Kind::accepted);
  }
  // Another master may have started jobs there: the consumer asks again.
  if (!master.heard.contains(message.host) && fault_ != Fault::start_is_passed_before_res_has_reported)
    return;
  if (licences_ != Licences::none && holds(message.attempt) && !all_heard(master)) return;
  int used = 0;
  for (const auto& [number, attempt] : disk.attempts)
    used += attempt.lease == message.lease && attempt.host == message.host && !attempt.over ? 1 : 0;
  if (fault_ == Fault::start_beyond_the_grant_is_passed) used = 0;
  const auto of = disk.leases.find(message.lease);
  const bool taken = of != disk.leases.end() &&
                     of->second.lease.may_start(message.host, 1, message.number, used) &&
                     may_hold(master, of->second, message.attempt);
  if (taken)
    disk.attempts[message.attempt] = {message.lease, message.host, message.number, true, false};
  else
    disk.refused.insert(message.attempt);
  commit_jobs(master);
  if (taken) order_start(master, message.attempt, message.number);
  answer(taken ? Kind::accepted : Kind::refused);
}

// The provider's own scheduler takes slots that it may have.
void LeaseWorld::start_local() {
  if (real_.disk.leases.empty() && !several()) return;
  const std::string host = some_host();
  if (!own_slot_is_free(host)) return;
  if (licences_ != Licences::none && holds(next_local_) && licences_free(real_) <= 0) ++next_local_;
  const int job = next_local_++;
  real_.disk.locals[job] = host;
  commit_jobs(real_);
  say({.kind = Kind::run_local, .host = host, .attempt = job, .term = real_.term});
}

void LeaseWorld::provider_tick(Master& master) {
  for (const auto& [number, of] : master.disk.leases) tell(master, number);  // as after a connection
  if (several() && !master.is_old) export_all();
  decide_all(master, event::Changed{});
  if (master.is_old) return;
  // What was ordered and may be lost is ordered again.
  for (const auto& [number, attempt] : master.disk.attempts)
    if (!attempt.over) order_start(master, number, attempt.number);
  for (const auto& [job, host] : master.disk.locals)
    say({.kind = Kind::run_local, .host = host, .attempt = job, .term = master.term});
  for (const auto& [lease, of] : master.disk.leases)
    for (const auto& [host, slots] : slots_)
      say({.kind = Kind::fence,
           .lease = lease,
           .host = host,
           .number = of.lease.number,
           .term = master.term});
}

}  // namespace rollcall::sched::lease
