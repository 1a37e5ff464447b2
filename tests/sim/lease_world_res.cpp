// LeaseWorld: the RES of each host, which knows the numbers of all leases there.
#include <algorithm>

#include "tests/sim/lease_world.hpp"

namespace rollcall::sched::lease {
namespace {

res::LeaseGrant res_number(const GrantNumber& number) { return {number.term, number.counter}; }

}  // namespace

void LeaseWorld::res_hears(Res& res, const WorldMessage& message) {
  if (message.term < res.term && fault_ != Fault::res_obeys_an_older_term) return;
  res.term = std::max(res.term, message.term);
  switch (message.kind) {
    case Kind::run:
      return res_runs(res, message);
    case Kind::run_local:
      if (res.seen.contains(-message.attempt)) {
        if (!res.locals.contains(message.attempt)) res_ended(res, message, -message.attempt);
        return;
      }
      res.seen.insert(-message.attempt);
      res.locals.insert(message.attempt);
      return;
    case Kind::fence:
      res.numbers.named(message.lease, res_number(message.number));
      if (res.numbers.known().at(message.lease) != res_number(message.number)) return;
      say({.kind = Kind::fenced,
           .lease = message.lease,
           .host = message.host,
           .number = message.number,
           .term = res.term,
           .attempts = fault_ == Fault::res_reports_no_jobs ? std::set<int>() : res.running,
           .to_old_master = is_of_old_master(message.term)});
      return;
    case Kind::kill:
      res.seen.insert(message.attempt);
      if (fault_ != Fault::res_tells_an_end_that_has_not_come) res.running.erase(message.attempt);
      return res_ended(res, message, message.attempt);
    default:
      return;
  }
}

void LeaseWorld::res_runs(Res& res, const WorldMessage& message) {
  if (res.running.contains(message.attempt)) return;
  if (res.seen.contains(message.attempt) && fault_ == Fault::res_runs_an_ended_attempt_again && one_in(2))
    return void(res.running.insert(message.attempt));
  if (res.seen.contains(message.attempt)) return res_ended(res, message, message.attempt);
  bool changed = false;
  auto answer = res.numbers.start(message.lease, res_number(message.number), changed);
  if (answer == res::LeaseNumbers::Answer::older && fault_ == Fault::res_takes_an_older_number)
    answer = res::LeaseNumbers::Answer::accepted;
  if (answer == res::LeaseNumbers::Answer::unnamed) return;  // until mbatchd names it
  res.seen.insert(message.attempt);
  if (answer == res::LeaseNumbers::Answer::older) return res_ended(res, message, message.attempt);
  res.running.insert(message.attempt);
  ++started;
  holders += licences_ != Licences::none && holds(message.attempt) ? 1 : 0;
}

void LeaseWorld::res_ended(const Res& res, const WorldMessage& order, int attempt) {
  say({.kind = Kind::ended,
       .host = order.host,
       .attempt = attempt,
       .term = res.term,
       .to_old_master = is_of_old_master(order.term)});
}

bool LeaseWorld::any_job_runs() const {
  return std::any_of(res_.begin(), res_.end(), [](const auto& host) {
    return !host.second.running.empty() || !host.second.locals.empty();
  });
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
       .to_old_master = is_of_old_master(res.term)});
}

void LeaseWorld::all_res_tick() {
  for (const auto& [host, slots] : slots_) res_tick(host);
}

}  // namespace rollcall::sched::lease
