#include "sched/policy/cycle/exhausted.hpp"

#include <algorithm>

namespace rollcall::sched::cycle {
namespace {

// For one select: comparing with this many demands must stay cheaper than looking at hosts.
constexpr std::size_t kMostKept = 32;

// One rusage may name a resource more than once: the amounts add up.
double amount_of(const Alternative& alternative, const Take& like) {
  double amount = 0;
  for (const Take& take : alternative.takes)
    if (take.resource == like.resource && take.per == like.per) amount += take.amount;
  return amount;
}

bool no_less(const Alternative& asked, const Alternative& failed) {
  return std::all_of(failed.takes.begin(), failed.takes.end(),
                     [&](const Take& take) { return amount_of(asked, take) >= amount_of(failed, take); });
}

// `asked` asks for no less than `less` (table in the header). The caller has compared select and hosts.
bool wants_no_less(const Asking& asked, const Asking& less) {
  const Compiled &a = *asked.entry->compiled, &b = *less.entry->compiled;
  const Demand &more = asked.entry->demand, &fewer = less.entry->demand;
  return b.queue == a.queue && b.span == a.span && b.same == a.same &&
         fewer.whole_hosts == more.whole_hosts && fewer.min_slots <= more.min_slots &&
         (!fewer.exclusive || more.exclusive) && no_less(*asked.alternative, *less.alternative);
}

}  // namespace

bool Exhausted::covers(const Asking& asking, const Ranking* ranking) const {
  const auto found = failed_.find(asking.entry->compiled->select.get());
  if (found == failed_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const Failed& failed) {
    return failed.ranking == ranking && wants_no_less(asking, failed.asking);
  });
}

void Exhausted::note(const Asking& asking, const Ranking* ranking) {
  auto& failed = failed_[asking.entry->compiled->select.get()];
  if (failed.size() < kMostKept) failed.push_back({asking, ranking});
}

std::size_t Frontier::passed(const Asking& asking, unsigned generation) {
  if (generation_ != generation) known_.clear();
  generation_ = generation;
  std::size_t at = 0;
  for (const Known& known : known_)
    if (known.at > at && wants_no_less(asking, known.asking)) at = known.at;
  return at;
}

// Drops places that the new one implies; if there are too many, the place nearest to the begin.
void Frontier::note(const Asking& asking, std::size_t at) {
  for (const Known& known : known_)
    if (known.at >= at && wants_no_less(asking, known.asking)) return;
  std::erase_if(known_,
                [&](const Known& known) { return known.at <= at && wants_no_less(known.asking, asking); });
  if (known_.size() >= kMostKept)
    known_.erase(std::min_element(known_.begin(), known_.end(),
                                  [](const Known& a, const Known& b) { return a.at < b.at; }));
  known_.push_back({asking, at});
}

}  // namespace rollcall::sched::cycle
