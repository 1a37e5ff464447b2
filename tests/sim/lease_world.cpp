// LeaseWorld: how it begins, what may happen in it, and the network.
#include "tests/sim/lease_world.hpp"

#include <algorithm>

namespace rollcall::sched::lease {
namespace {

std::map<std::string, int> slots_of(Lends lends) {
  switch (lends) {
    case Lends::whole_hosts:
    case Lends::shared_hosts:
      return {{"a", 2}, {"b", 3}, {"c", 1}, {"d", 2}};
    case Lends::slots_per_host:
    case Lends::shared_slots:
      return {{"a", 2}, {"b", 3}};
    default:
      return {{"a", 2}, {"b", 3}};
  }
}

}  // namespace

LeaseWorld::LeaseWorld(std::uint64_t seed, Fault fault, Lends lends, Licences licences)
    : random_(seed), fault_(fault), lends_(lends), licences_(licences), slots_(slots_of(lends)) {
  consumers_.push_back({.cluster = "west"});
  if (lends != Lends::parts && lends != Lends::shared)
    consumers_.push_back({.cluster = "north", .place = 1, .next = kAttemptsOfConsumer + 1});
  begin();
}

void LeaseWorld::begin() {
  old_.exists = false;
  for (const auto& [host, slots] : slots_) res_[host];
  if (several()) {
    change_policy(false);
    return decide_all(real_, event::Asked{});
  }
  const std::uint64_t number = next_lease_++;
  for (auto& [host, res] : res_) res.numbers.named(number, {});
  LeaseOfPolicy of;
  of.lease.id = {"east", number};
  of.lease.consumer = consumers_.front().cluster;
  of.policy = policy_name(whole_policy());
  of.terms = policy_terms(whole_policy());
  if (shared()) of.both_sides = slots_;
  provider_disk_.leases[number] = of;
  real_.disk = provider_disk_;
  event::Exported exported;
  for (const auto& [host, slots] : slots_)
    exported.hosts.push_back({host, shared() && host != "a" ? 0 : shared() ? 1 : slots, {}, {}, false});
  exported.resources = lends(kLicences);
  decide(real_, number, exported);
  decide(real_, number, event::Asked{});
}

std::string LeaseWorld::some_host() {
  const int last = static_cast<int>(slots_.size()) - 1;
  return std::next(slots_.begin(), last - pick(last + 1))->first;
}

LeaseWorld::ConsumerSide& LeaseWorld::some_consumer() {
  return several() ? consumers_[static_cast<std::size_t>(pick(static_cast<int>(consumers_.size())))]
                   : consumers_.front();
}

LeaseWorld::ConsumerSide& LeaseWorld::consumer_of(int attempt) {
  return consumers_[static_cast<std::size_t>(attempt / kAttemptsOfConsumer)];
}

void LeaseWorld::step() {
  check_out_or_tell();
  if (several())
    for (ConsumerSide& consumer : consumers_)
      if (one_in(consumer.cut_off ? 40 : 200)) consumer.cut_off = !consumer.cut_off;
  something_happens(pick(24));
  check();
}

void LeaseWorld::something_happens(int what) {
  switch (what) {
    case 0:
    case 1:
    case 2:
      return place(some_consumer());
    case 3:
      return consumer_tick(some_consumer());
    case 4:
      return end_a_job();
    case 5:
      return provider_tick(old_.exists && pick(2) ? old_ : real_);
    case 6:
      return several() ? all_res_tick() : res_tick(some_host());
    case 7:
      return start_local();
    case 8:
      if (!one_in(3)) return;
      return lends_ == Lends::shared || (shared() && pick(2)) ? divide() : change_policy(false);
    case 9:
      if (one_in(4)) restart_provider(pick(3) > 0);
      if (one_in(8)) old_.exists = false;
      return;
    case 10:
      if (one_in(6)) {  // RES starts again, and its connections end; now and then without its file
        const std::string host = some_host();
        std::erase_if(bag_, [&](const WorldMessage& message) {
          return message.host == host && message.kind >= Kind::run && message.kind <= Kind::kill;
        });
        if (one_in(3) && !old_.exists) res_[host].numbers = {}, res_[host].term = 0;  // one file has both
      }
      return;
    case 11:
      if (one_in(6)) restart_consumer(some_consumer());
      return;
    default:
      for (int i = several() ? 4 : 1; i > 0; --i) deliver(false);
  }
}

void LeaseWorld::quiet(bool withdrawn) {
  unreliable_ = false;
  old_.exists = false;
  for (ConsumerSide& consumer : consumers_) consumer.cut_off = false;
  change_policy(withdrawn);
  settle();
  if (several() && shared()) reclaim_idle();  // a lease may have had no idle slot to begin with
}

void LeaseWorld::reclaim_idle() {
  divide();
  settle();
}

void LeaseWorld::settle() {
  int same = 0;
  for (int round = 0; round < 60 && same < 10; ++round) {
    const std::string before = text();
    check_out_or_tell();
    provider_tick(real_);
    for (ConsumerSide& consumer : consumers_) {
      if (several()) want_all(consumer);
      consumer_tick(consumer);
    }
    all_res_tick();
    while (!bag_.empty()) deliver(true);
    end_a_job();
    check();
    same = several() && !any_job_runs() && text() == before ? same + 1 : 0;
  }
}

// ---------------------------------------------------------------- the network

void LeaseWorld::say(WorldMessage message) {
  // A full network loses.
  if (unreliable_ && bag_.size() >= 24 * consumers_.size())
    bag_.erase(bag_.begin() + pick(static_cast<int>(bag_.size())));
  bag_.push_back(std::move(message));
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
  ConsumerSide& consumer = consumers_[message.consumer];
  if (message.kind <= Kind::unlisted && consumer.cut_off) return;
  switch (message.kind) {
    case Kind::start:
    case Kind::ask:
    case Kind::answer:
      // A consumer that has heard a newer master does not talk to the older one.
      provider_hears(old_.exists && consumer.term < real_.term && pick(2) ? old_ : real_, message);
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
      consumer_hears(consumer, message);
      return;
    default:
      res_hears(res_[message.host], message);
  }
}

}  // namespace rollcall::sched::lease
