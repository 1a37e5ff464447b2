// ForwardedCounts against a simulated cluster: updates are lost, repeated and delivered in any order, jobs are refused, end and come
// back, and mbatchd is restarted. After each step every forwarded job is counted exactly once.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "sched/policy/forward/forwarded_counts.hpp"
#include "tests/unit/sched/forward/random_numbers.hpp"

namespace rollcall::sched::forward {
namespace {

constexpr int kTotal = 1'000'000, kRoom = 1'000'000;

// What the executing cluster tells of one job that is not there any more.
struct Told {
  std::uint64_t number = 0;
  bool came_back = false;
};
struct Sent {
  Update update;
  std::map<std::uint64_t, int> has;  // the slots of each job that it contains
  std::size_t told = 0;              // so much was told before it, in the same connection
};

// The executing cluster: it takes in offers in order, refuses some, starts some, ends some and gives some back, and sends updates.
class Cluster {
 public:
  void offered(std::uint64_t number, int slots) { offers_.emplace_back(number, slots); }
  void take_in() {
    if (taken_in_ == offers_.size()) return;
    const auto [number, slots] = offers_[taken_in_++];
    if (pick(0, 3) == 0)
      told.push_back({number, false});
    else
      pending_[number] = slots;
  }
  void start_one() {
    if (auto job = some(pending_)) running_.insert(std::move(job));
  }
  void end_one() {
    if (auto job = some(running_)) told.push_back({job.key(), false});
  }
  void give_one_back() {
    if (auto job = some(pending_)) told.push_back({job.key(), true});
  }
  Sent update() {
    Sent sent;
    sent.told = told.size();
    int pending = 0, running = 0;
    for (const auto& [number, slots] : pending_) pending += slots, sent.has[number] = slots;
    for (const auto& [number, slots] : running_) running += slots, sent.has[number] = slots;
    const std::uint64_t accounts_for = taken_in_ == 0 ? 0 : offers_[taken_in_ - 1].first;
    const int jobs = static_cast<int>(pending_.size());
    sent.update = {{connection_, ++number_},
                   accounts_for,
                   {{kTotal, kTotal - running, running, pending, 0}, kRoom - jobs, kRoom - pending}};
    return sent;
  }
  void connect_anew() { ++connection_, number_ = 0; }

  std::vector<Told> told;

 private:
  using Jobs = std::map<std::uint64_t, int>;
  static Jobs::node_type some(Jobs& jobs) {
    if (jobs.empty()) return {};
    return jobs.extract(std::next(jobs.begin(), pick(0, static_cast<int>(jobs.size()) - 1)));
  }
  std::vector<std::pair<std::uint64_t, int>> offers_;
  std::size_t taken_in_ = 0;
  Jobs pending_, running_;
  std::uint64_t connection_ = 1, number_ = 0;
};

// Both sides, and what is between them.
struct World {
  Cluster cluster;
  ForwardedCounts counts;
  std::map<std::uint64_t, int> there;  // slots of the forwards that are not known to be over
  std::uint64_t last = 0;              // the highest number that was given
  std::vector<Sent> on_the_way;
  std::size_t heard = 0;  // of Cluster::told
  std::optional<Sent> newest;
  int back_jobs = 0, back_slots = 0;  // that the newest update contains, and that came back since

  void step() {
    switch (pick(0, 10)) {
      case 0:
      case 1:
        return forward();
      case 2:
      case 3:
        return cluster.take_in();
      case 4:
        return cluster.start_one();
      case 5:
        return cluster.end_one();
      case 6:
        return cluster.give_one_back();
      case 7:
        return on_the_way.push_back(cluster.update());
      case 8:
        return deliver_update();
      case 9:
        return pick(0, 9) == 0 ? restart() : hear_next();
      default:
        return pick(0, 9) == 0 ? cluster.connect_anew() : repeat();
    }
  }

  void forward() {
    const int slots = pick(1, 20);
    last = counts.forwarded(slots);
    RC_ASSERT(there.emplace(last, slots).second);
    cluster.offered(last, slots);
  }

  // Any of them; it stays on the way, so that it can come again, or is never chosen, which is its loss. What was told before it in its
  // connection is heard before it.
  void deliver_update() {
    if (on_the_way.empty()) return;
    const Sent& sent = on_the_way[static_cast<std::size_t>(pick(0, static_cast<int>(on_the_way.size()) - 1))];
    while (heard < sent.told) hear_next();
    const bool newer = !newest || sent.update.order > newest->update.order;
    const auto outcome = counts.updated(sent.update);
    RC_ASSERT(outcome == (newer ? ForwardedCounts::Outcome::taken : ForwardedCounts::Outcome::outdated));
    if (!newer) return;
    newest = sent;
    back_jobs = back_slots = 0;
  }
  void hear_next() {
    if (heard == cluster.told.size()) return;
    const auto [number, came_back] = cluster.told[heard++];
    tell(number, came_back);
    const int slots = there.at(number);
    there.erase(number);
    if (!came_back || !newest || number > newest->update.accounts_for) return;
    ++back_jobs;
    back_slots += slots;
  }
  void tell(std::uint64_t number, bool came_back) {
    came_back ? counts.came_back(number) : counts.gone(number);
  }
  // An end that was heard already.
  void repeat() {
    if (heard == 0) return;
    const auto& [number, came_back] =
        cluster.told[static_cast<std::size_t>(pick(0, static_cast<int>(heard) - 1))];
    tell(number, came_back);
  }
  // The store has what is there; the greeting tells all ends, and figures come anew.
  void restart() {
    while (heard < cluster.told.size()) hear_next();
    counts = ForwardedCounts(last + 1 + static_cast<std::uint64_t>(pick(0, 5)));
    for (const auto& [number, slots] : there) {
      counts.restored(number, slots);
      if (pick(0, 3) == 0) counts.restored(number, slots);
    }
    on_the_way.clear();
    cluster.connect_anew();
    newest.reset();
    back_jobs = back_slots = 0;
  }

  // available - pending is what is left of the total when every job is counted once: those of the newest update, and those on top.
  void check() const {
    const auto figures = counts.figures();
    RC_ASSERT(figures.has_value() == newest.has_value());
    if (!figures) return;
    int counted = -back_slots, jobs = -back_jobs, slots_on_top = 0;
    for (const auto& [number, slots] : newest->has) counted += slots;
    for (const auto& [number, slots] : there)
      if (number > newest->update.accounts_for) {
        slots_on_top += slots;
        ++jobs;
      }
    RC_ASSERT(figures->slots.available - figures->slots.pending == kTotal - counted - slots_on_top);
    RC_ASSERT(*figures->job_room == *newest->update.figures.job_room - jobs);
    RC_ASSERT(*figures->slot_room == *newest->update.figures.slot_room + back_slots - slots_on_top);
  }
};

RC_GTEST_PROP(ForwardedCountsProperty, EveryForwardIsCountedOnce, ()) {
  World world;
  for (int i = 0, steps = pick(1, 400); i < steps; ++i) {
    world.step();
    world.check();
  }
}

}  // namespace
}  // namespace rollcall::sched::forward
