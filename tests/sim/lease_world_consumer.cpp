// LeaseWorld: a consumer: what it is told of its leases, and the jobs that it has under them.
#include "tests/sim/lease_world.hpp"

namespace rollcall::sched::lease {

int LeaseWorld::ConsumerSide::uses(std::uint64_t lease, const std::string& host) const {
  int uses = 0;
  for (const auto& [number, attempt] : attempts)
    uses += attempt.lease == lease && attempt.host == host ? 1 : 0;
  return uses;
}

JobsNow LeaseWorld::jobs_now(const ConsumerSide& consumer, std::uint64_t lease) const {
  JobsNow now;
  const auto of = consumer.leases.find(lease);
  for (const auto& [number, attempt] : consumer.attempts) {
    if (attempt.lease != lease) continue;
    now.any = true;
    if (!attempt.accepted && of != consumer.leases.end() && attempt.number < of->second.number)
      now.unanswered = true;
  }
  return now;
}

void LeaseWorld::consumer_decides(ConsumerSide& consumer, std::uint64_t lease, const ConsumerEvent& event) {
  const auto of = consumer.leases.find(lease);
  if (of == consumer.leases.end()) return;
  bool forget = false;
  for (const ConsumerEffect& each : sched::lease::step(of->second, event, jobs_now(consumer, lease))) {
    if (std::holds_alternative<effect::Answer>(each)) answer(consumer, of->second);
    forget = forget || std::holds_alternative<effect::Forget>(each);
  }
  if (forget) consumer.leases.erase(of);
}

void LeaseWorld::answer(const ConsumerSide& consumer, const ConsumerLease& lease) {
  WorldMessage message{.kind = Kind::answer, .consumer = consumer.place, .lease = lease.id.number};
  message.wants = lease.wants;
  JobsNow jobs = jobs_now(consumer, lease.id.number);
  if (fault_ == Fault::acknowledges_with_unanswered_starts) jobs.unanswered = false;
  message.number = acknowledges(lease, jobs);
  for (const auto& [number, attempt] : consumer.attempts)
    if (attempt.lease == lease.id.number && fault_ != Fault::acknowledges_without_uses &&
        (attempt.accepted || fault_ != Fault::acknowledges_with_unanswered_starts))
      ++message.uses[attempt.host];
  say(message);
}

void LeaseWorld::consumer_hears(ConsumerSide& consumer, const WorldMessage& message) {
  if (message.term < consumer.term) return;
  consumer.term = message.term;
  const auto known = consumer.attempts.find(message.attempt);
  switch (message.kind) {
    case Kind::stands:
      if (!consumer.leases.contains(message.lease))
        consumer.leases[message.lease] = ConsumerLease{.id = {"east", message.lease}};
      return consumer_decides(consumer, message.lease,
                              event::Told{message.phase, message.number, message.hosts, message.resources});
    case Kind::unlisted:
      return consumer_decides(consumer, message.lease, event::Unlisted{});
    case Kind::accepted:
      if (known != consumer.attempts.end()) known->second.accepted = true;
      return answer_all(consumer);
    case Kind::refused:
      if (known == consumer.attempts.end() || known->second.accepted) return;
      [[fallthrough]];
    case Kind::over:
      consumer.attempts.erase(message.attempt);
      return answer_all(consumer);
    default:
      return;
  }
}

void LeaseWorld::place(ConsumerSide& consumer) {
  if (consumer.leases.empty()) return;
  const int which = consumer.leases.size() > 1 ? pick(static_cast<int>(consumer.leases.size())) : 0;
  const ConsumerLease& lease = std::next(consumer.leases.begin(), which)->second;
  const std::uint64_t of = lease.id.number;
  if (!lease.wants) return consumer_decides(consumer, of, event::Wanted{});
  if (!lease.placeable() || lease.hosts.empty()) return;
  const LeasedHost& host = lease.hosts[static_cast<std::size_t>(pick(static_cast<int>(lease.hosts.size())))];
  // This consumer counts badly where the provider must notice it.
  if (consumer.uses(of, host.host) >= host.slots && fault_ != Fault::start_beyond_the_grant_is_passed) return;
  if (licences_ != Licences::none && !consumer_may_hold(consumer, lease, consumer.next)) ++consumer.next;
  const int number = consumer.next++;
  consumer.attempts[number] = {of, host.host, lease.number, false, false};
  say({.kind = Kind::start,
       .consumer = consumer.place,
       .lease = of,
       .host = host.host,
       .attempt = number,
       .number = lease.number});
}

// Pending jobs could use every lease.
void LeaseWorld::want_all(ConsumerSide& consumer) {
  for (const std::uint64_t number : numbers(consumer.leases))
    consumer_decides(consumer, number, event::Wanted{});
}

void LeaseWorld::answer_all(ConsumerSide& consumer) {
  for (const std::uint64_t number : numbers(consumer.leases))
    consumer_decides(consumer, number, event::Answered{});
}

// The number of an attempt is unknown after a restart until the provider has told of the lease. Of a lease that it tells no more it says what
// became of the attempt.
void LeaseWorld::consumer_tick(ConsumerSide& consumer) {
  for (auto& [number, attempt] : consumer.attempts) {
    const auto lease = consumer.leases.find(attempt.lease);
    const bool known = attempt.number != GrantNumber{} || lease != consumer.leases.end();
    if (!known && !several()) continue;
    if (known && attempt.number == GrantNumber{}) attempt.number = lease->second.number;
    say({.kind = attempt.accepted || !known ? Kind::ask : Kind::start,
         .consumer = consumer.place,
         .lease = attempt.lease,
         .host = attempt.host,
         .attempt = number,
         .number = attempt.number});
  }
  answer_all(consumer);
}

// Messages to it and from it are lost with its connections. Its store has the attempts, but neither their grant numbers nor whether they were
// accepted: it asks for them again when the provider has told of the lease. The store of one of two consumers may be lost with all of them.
void LeaseWorld::restart_consumer(ConsumerSide& consumer) {
  std::erase_if(bag_, [&](const WorldMessage& message) {
    return message.kind <= Kind::unlisted && message.consumer == consumer.place;
  });
  consumer.leases.clear();
  if (several() && one_in(4)) consumer.attempts.clear();
  for (auto& [number, attempt] : consumer.attempts)
    attempt.accepted = false, attempt.number = {}, ++asked_anew;
}

}  // namespace rollcall::sched::lease
