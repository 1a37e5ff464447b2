// What holds of every choice: at most three offers, each with what the job asks for; tiers in order; the same choice again.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "tests/unit/sched/forward/choice_driver.hpp"
#include "tests/unit/sched/forward/random_numbers.hpp"

namespace rollcall::sched::forward {
namespace {

std::optional<int> room() { return pick(0, 2) == 0 ? std::nullopt : std::optional(pick(0, 3)); }
std::vector<std::string> some_of(std::initializer_list<const char*> words) {
  std::vector<std::string> some;
  for (const char* word : words)
    if (pick(0, 3) > 0) some.emplace_back(word);
  return some;
}

Figures random_figures() {
  return {{pick(0, 12), pick(0, 8), pick(0, 8), pick(0, 8), pick(0, 12)}, room(), room()};
}

RemoteQueue random_queue(int number) {
  RemoteQueue queue;
  queue.name = {"q", "c" + std::to_string(number)};
  queue.connected = pick(0, 9) > 0;
  if (pick(0, 9) > 0) queue.figures = random_figures();
  queue.priority = pick(1, 3);
  if (pick(0, 1) == 1) queue.lowest_preemptable = pick(1, 3);
  queue.types = some_of({"x", "y"});
  queue.booleans = some_of({"a", "b"});
  queue.returns = {pick(0, 4), pick(0, 1) == 1 ? std::optional(random_figures()) : std::nullopt,
                   std::chrono::minutes(pick(0, 25))};
  return queue;
}

ForwardJob random_job() {
  ForwardJob job = job_of(pick(1, 6));
  if (pick(0, 1) == 1) job.types = {"x"};
  if (pick(0, 1) == 1) job.booleans = {"a"};
  return job;
}

Settings random_settings() {
  Settings settings;
  settings.choice.kind = static_cast<Kind>(pick(0, 2));
  if (settings.choice.kind == Kind::count_preemptable) {
    settings.choice.high_queue_priority = pick(0, 1) == 1;
    settings.choice.preemptable_queue_priority = pick(0, 1) == 1;
    settings.choice.pending_when_no_slots = pick(0, 1) == 1;
  }
  settings.room_before_preemption = pick(0, 1) == 1;
  settings.remote_resource = pick(0, 1) == 1;
  return settings;
}

bool has_all(const std::vector<std::string>& there, const std::vector<std::string>& asked) {
  return std::all_of(asked.begin(), asked.end(), [&](const std::string& word) {
    return std::find(there.begin(), there.end(), word) != there.end();
  });
}

// A queue that is offered the job has what the job asks for, as far as is known.
void check_offer(const ForwardJob& job, const RemoteQueue& queue, const Settings& settings, Tier tier) {
  RC_ASSERT(queue.connected);
  const bool off = settings.choice.kind == Kind::off;
  RC_ASSERT((tier == Tier::listed) == (off && !settings.remote_resource));
  RC_ASSERT((tier == Tier::available) == (off && settings.remote_resource && queue.figures));
  if (!queue.figures) return;
  const Slots& slots = queue.figures->slots;
  RC_ASSERT(has_all(queue.types, job.types) && has_all(queue.booleans, job.booleans));
  RC_ASSERT(slots.total >= job.min_slots);
  if (tier == Tier::free) RC_ASSERT(slots.available - slots.pending >= job.min_slots);
  if (tier == Tier::preemptable) RC_ASSERT(slots.preemptable - slots.pending >= job.min_slots);
  if (tier == Tier::room) {
    RC_ASSERT(queue.figures->job_room.value_or(1) > 0);
    RC_ASSERT(queue.figures->slot_room.value_or(job.min_slots) >= job.min_slots);
  }
}

int order_of(Tier tier, bool room_first) {
  if (room_first && tier == Tier::room) return 2;
  if (room_first && tier == Tier::preemptable) return 3;
  return static_cast<int>(tier);
}

RC_GTEST_PROP(ForwardChoiceProperty, OffersAreFewAndHaveWhatTheJobAsks, ()) {
  const ForwardJob job = random_job();
  const Settings settings = random_settings();
  std::vector<RemoteQueue> queues;
  for (int i = 0, count = pick(0, 8); i < count; ++i) queues.push_back(random_queue(i));
  const Choice choice = choose(job, queues, settings);

  RC_ASSERT(choice.verdicts.size() == queues.size());
  const auto takeable = std::count_if(choice.verdicts.begin(), choice.verdicts.end(),
                                      [](const Verdict& verdict) { return verdict.tier.has_value(); });
  RC_ASSERT(choice.offers.size() == std::min<std::size_t>(static_cast<std::size_t>(takeable), kMostOffers));
  RC_ASSERT(std::set(choice.offers.begin(), choice.offers.end()).size() == choice.offers.size());
  for (std::size_t place = 0; place < choice.offers.size(); ++place) {
    const Verdict& verdict = choice.verdicts[choice.offers[place]];
    RC_ASSERT(verdict.place == static_cast<int>(place) + 1);
    check_offer(job, queues[choice.offers[place]], settings, *verdict.tier);
  }
  // No queue that came after is of a better tier than one that is offered the job.
  for (const Verdict& verdict : choice.verdicts)
    if (verdict.tier && verdict.place == 0)
      RC_ASSERT(order_of(*choice.verdicts[choice.offers.back()].tier, settings.room_before_preemption) <=
                order_of(*verdict.tier, settings.room_before_preemption));

  const Choice again = choose(job, queues, settings);
  RC_ASSERT(again.offers == choice.offers && again.verdicts == choice.verdicts);
}

// The choice does not depend on queues that are left out.
RC_GTEST_PROP(ForwardChoiceProperty, QueuesThatAreLeftOutChangeNothing, ()) {
  const ForwardJob job = random_job();
  const Settings settings = random_settings();
  std::vector<RemoteQueue> queues, fitting;
  for (int i = 0, count = pick(0, 8); i < count; ++i) queues.push_back(random_queue(i));
  const Choice choice = choose(job, queues, settings);
  for (std::size_t i = 0; i < queues.size(); ++i)
    if (choice.verdicts[i].tier) fitting.push_back(queues[i]);
  RC_ASSERT(offers(job, queues, settings) == offers(job, fitting, settings));
}

}  // namespace
}  // namespace rollcall::sched::forward
