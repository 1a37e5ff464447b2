#include "sched/policy/exhausted.hpp"

#include <algorithm>

namespace rollcall::sched {
namespace {

constexpr std::size_t kMostKept = 32;  // of one select: looking through them must stay cheaper than looking at hosts

// Strings of one rusage may name a resource more than once: its amounts add up.
double amount_of(const Alternative& alternative, const Take& like) {
  double amount = 0;
  for (const Take& take : alternative.takes)
    if (take.resource == like.resource && take.per == like.per) amount += take.amount;
  return amount;
}

bool no_less(const Alternative& asked, const Alternative& failed) {
  return std::all_of(failed.takes.begin(), failed.takes.end(), [&](const Take& take) {
    return amount_of(asked, take) >= amount_of(failed, take);
  });
}

}  // namespace

bool Exhausted::covers(const Snapshot::DemandEntry& entry, const Alternative& alternative,
                       const Ranking* ranking) const {
  const Compiled& asked = *entry.compiled;
  const auto found = failed_.find(asked.select.get());
  if (found == failed_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const Failed& one) {
    const Compiled& failed = *one.entry->compiled;
    const Demand& less = one.entry->demand;
    return one.ranking == ranking && failed.queue == asked.queue && failed.span == asked.span &&
           failed.same == asked.same && less.min_slots <= entry.demand.min_slots &&
           (!less.exclusive || entry.demand.exclusive) && no_less(alternative, *one.alternative);
  });
}

void Exhausted::note(const Snapshot::DemandEntry& entry, const Alternative& alternative, const Ranking* ranking) {
  auto& failed = failed_[entry.compiled->select.get()];
  if (failed.size() < kMostKept) failed.push_back({&entry, &alternative, ranking});
}

}  // namespace rollcall::sched
