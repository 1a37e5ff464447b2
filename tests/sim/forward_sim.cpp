#include "tests/sim/forward_sim.hpp"

#include <cstdlib>
#include <iostream>

#include "tests/sim/cycles.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched {
namespace {

constexpr int kTurnsToSettle = 5'000;
constexpr int kMostTries = 150;  // of a shrink; each is a world

constexpr const char* kReceives = "RCVJOBS_FROM = allclusters\nIMPT_JOBBKLG = 5\n";

const ConfigView& site(bool cycles) {
  static const ConfigView one_queue =
      book::site_files("CLEAN_PERIOD = 1000000\nMBD_SLEEP_TIME = 2\n", kReceives);
  static const ConfigView preempting = preemption_site({false, true, kReceives, "MBD_SLEEP_TIME = 2\n"});
  return cycles ? preempting : one_queue;
}

// With the scheduler, jobs of all queues that ask for one to three slots.
wire::Submission drawn_job(int number, bool cycles, std::mt19937& random) {
  auto asked = number % 4 == 3 ? book::array_job(3) : book::plain_job();
  asked.set_user("ann");
  if (!cycles) return asked;
  const char* const kQueues[] = {"high", "middle", "low", "low"};
  const std::string queue = kQueues[random() % 4];
  asked.add_queues(queue);
  const std::uint32_t slots = 1 + random() % 3;
  asked.set_min_slots(slots);
  asked.set_max_slots(slots);
  if (queue != "middle") asked.set_exclusive(random() % 6 == 0);
  return asked;
}

}  // namespace

Played play(const Knobs& knobs) {
  const bool cycles = knobs["cycles"] != 0;
  ForwardWorld world(site(cycles), knobs);
  std::mt19937 random(static_cast<std::uint32_t>(knobs["seed"]));
  int submitted = 0;
  const auto submit = [&] {
    const auto asked = drawn_job(submitted, cycles, random);
    world.submit(static_cast<std::size_t>(submitted++) % world.clusters(), asked);
  };
  for (int turn = 0; turn < knobs["turns"] && world.trouble().empty(); ++turn) {
    if (turn % 8 == 0 && submitted < knobs["jobs"]) submit();
    world.turn();
  }
  while (submitted < knobs["jobs"]) submit();
  const bool over = world.settle(kTurnsToSettle);
  if (over) world.check_end();
  if (!over && world.trouble().empty()) return {"not over in the end: " + world.unfinished(), world.seen()};
  return {world.trouble(), world.seen()};
}

namespace {

std::string replay(const Knobs& knobs) {
  return "ROLLCALL_SIM_WORLD=\"" + knobs.text(forward_knobs().with("seed", 0)) +
         "\" forward_sim_test --gtest_filter=ForwardSim.Replay";
}

// The trouble without its numbers: a smaller world has other ones.
std::string kind_of(std::string trouble) {
  std::erase_if(trouble, [](char c) { return c >= '0' && c <= '9'; });
  return trouble.substr(0, trouble.find(" of "));
}

}  // namespace

int number(const char* variable, int usual) {
  const char* asked = std::getenv(variable);
  return asked ? std::atoi(asked) : usual;
}

std::string told(const Knobs& knobs, const Played& played) {
  std::string lines = played.trouble + "\nreplay: " + replay(knobs) + "\n";
  if (number("ROLLCALL_SIM_SHRINK", 1) == 0) return lines;
  const Knobs small = shrunk(
      knobs.with("faults", played.seen.faults),
      [&](const Knobs& one) { return kind_of(play(one).trouble) == kind_of(played.trouble); }, kMostTries);
  return lines + "shrunk: " + play(small).trouble + "\nreplay: " + replay(small) + "\n";
}

void ForwardSim::each(int seeds, const Knobs& knobs) {
  const int first = number("ROLLCALL_SIM_FIRST", 1);
  for (int seed = first; seed < first + number("ROLLCALL_SIM_SEEDS", seeds); ++seed) {
    const Knobs one = knobs.with("seed", seed);
    const Played played = play(one);
    ASSERT_EQ(played.trouble, "") << told(one, played);
    add(played.seen);
  }
}

void ForwardSim::TearDown() {
  if (seen_.forwards == 0) return;
  std::cout << seen_.forwards << " forwards, " << seen_.returns << " returns, " << seen_.deaths << " deaths, "
            << seen_.repeated << " repeated offers, " << seen_.stores_lost << " lost stores with "
            << seen_.begun_in_them << " begun jobs, " << seen_.refused << " refusals, " << seen_.preemptions
            << " preemptions, " << seen_.abroad << " of them of other clusters' jobs; settled in at most "
            << seen_.turns_to_settle << " turns\n";
}

void ForwardSim::add(const ForwardWorld::Seen& seen) {
  seen_.forwards += seen.forwards;
  seen_.returns += seen.returns;
  seen_.deaths += seen.deaths;
  seen_.repeated += seen.repeated;
  seen_.stores_lost += seen.stores_lost;
  seen_.begun_in_them += seen.begun_in_them;
  seen_.written_off += seen.written_off;
  seen_.refused += seen.refused;
  seen_.preemptions += seen.preemptions;
  seen_.abroad += seen.abroad;
  seen_.turns_to_settle = std::max(seen_.turns_to_settle, seen.turns_to_settle);
}

}  // namespace rollcall::sched
