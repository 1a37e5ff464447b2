// ForwardedCounts against a simulated cluster: updates are lost, repeated and delivered in any order, and after each step every
// forwarded job is counted exactly once.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "sched/policy/forward/forwarded_counts.hpp"
#include "tests/unit/sched/forward/random_numbers.hpp"

namespace rollcall::sched::forward {
namespace {

constexpr int kTotal = 1'000'000;

// The executing cluster: it takes in offers in order, refuses some, starts some, and sends updates.
class Cluster {
 public:
  void offered(int slots) { offers_.push_back(slots); }
  // Decides the next offer. Gives its number where it is refused.
  std::optional<std::uint64_t> take_in() {
    if (taken_in_ == offers_.size()) return std::nullopt;
    const int slots = offers_[taken_in_++];
    if (pick(0, 3) == 0) {
      refused_.insert(taken_in_);
      return taken_in_;
    }
    pending_ += slots;
    return std::nullopt;
  }
  void start_some() {
    const int slots = pick(0, pending_);
    pending_ -= slots;
    running_ += slots;
  }
  Update update() {
    return {
        {connection_, ++number_}, taken_in_, {{kTotal, kTotal - running_, running_, pending_, 0}, {}, {}}};
  }
  void connect_anew() { ++connection_, number_ = 0; }
  bool refused(std::uint64_t number) const { return refused_.contains(number); }

 private:
  std::vector<int> offers_;
  std::size_t taken_in_ = 0;
  std::set<std::uint64_t> refused_;
  int pending_ = 0, running_ = 0;
  std::uint64_t connection_ = 1, number_ = 0;
};

// Both sides, and what is between them.
struct World {
  Cluster cluster;
  ForwardedCounts counts;
  std::map<std::uint64_t, int> forwards;  // slots by number
  std::set<std::uint64_t> known_refusals;
  std::vector<Update> on_the_way;
  std::vector<std::uint64_t> refusals_on_the_way;
  Update newest;  // of those that arrived

  void step() {
    switch (pick(0, 6)) {
      case 0:
      case 1:
        return forward();
      case 2:
        if (const auto refused = cluster.take_in()) refusals_on_the_way.push_back(*refused);
        return;
      case 3:
        return cluster.start_some();
      case 4:
        return on_the_way.push_back(cluster.update());
      case 5:
        return pick(0, 9) == 0 ? cluster.connect_anew() : deliver_update();
      default:
        return deliver_refusal();
    }
  }

  void forward() {
    const int slots = pick(1, 20);
    const auto number = counts.forwarded(slots);
    RC_ASSERT(forwards.emplace(number, slots).second);
    cluster.offered(slots);
  }

  // Any of them; it stays on the way, so that it can come again, or is never chosen, which is its loss.
  void deliver_update() {
    if (on_the_way.empty()) return;
    const Update& update =
        on_the_way[static_cast<std::size_t>(pick(0, static_cast<int>(on_the_way.size()) - 1))];
    const auto outcome = counts.updated(update);
    RC_ASSERT(outcome != ForwardedCounts::Outcome::invalid);
    RC_ASSERT((outcome == ForwardedCounts::Outcome::taken) == (update.order > newest.order));
    if (update.order > newest.order) newest = update;
  }
  void deliver_refusal() {
    if (refusals_on_the_way.empty()) return;
    const auto number = refusals_on_the_way[static_cast<std::size_t>(
        pick(0, static_cast<int>(refusals_on_the_way.size()) - 1))];
    counts.gone(number);
    known_refusals.insert(number);
  }

  // available - pending is what is left of the total when every job is counted once: a refused one until we know of it.
  void check() const {
    const auto figures = counts.figures();
    RC_ASSERT(figures.has_value() == (newest.order != UpdateOrder{}));
    if (!figures) return;
    int counted = 0;
    for (const auto& [number, slots] : forwards) {
      const bool known = number <= newest.accounts_for || known_refusals.contains(number);
      if (!known || !cluster.refused(number)) counted += slots;
    }
    RC_ASSERT(figures->slots.available - figures->slots.pending == kTotal - counted);
  }
};

RC_GTEST_PROP(ForwardedCountsProperty, EveryForwardIsCountedOnce, ()) {
  World world;
  for (int i = 0, steps = pick(1, 300); i < steps; ++i) {
    world.step();
    world.check();
  }
}

}  // namespace
}  // namespace rollcall::sched::forward
