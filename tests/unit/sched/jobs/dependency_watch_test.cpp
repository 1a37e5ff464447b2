// DependencyWatch names every job whose condition a change makes true or false, compared with evaluating all; and its cost.
#include "sched/policy/jobs/dependency_watch.hpp"

#include <random>

#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::jobs {
namespace {

constexpr std::int32_t kId = 7;

std::string any_condition(std::mt19937& random) {
  static constexpr const char* kWhole[] = {"done", "ended", "exit", "started", "post_done", "post_err"};
  static constexpr const char* kCounts[] = {"numdone", "numended", "numexit", "numhold",
                                            "numpend", "numrun",   "numstart"};
  static constexpr const char* kCompare[] = {"==", "!=", ">", "<", ">=", "<="};
  const auto of = [&random](const auto& words) { return std::string(words[random() % std::size(words)]); };
  if (random() % 3 == 0) return of(kWhole) + "(7)";
  if (random() % 5 == 0) return "exit(7, " + of(kCompare) + " " + std::to_string(random() % 4) + ")";
  if (random() % 8 == 0) return of(kCounts) + "(7, *)";
  return of(kCounts) + "(7, " + of(kCompare) + " " + std::to_string(random() % 12) + ")";
}

Dependency parsed(const std::string& text) {
  auto dependency = Dependency::parse(text);
  EXPECT_TRUE(dependency) << text << ": " << dependency.error().text;
  return dependency ? *dependency : Dependency();
}

// The elements of an array, each in any state.
struct Elements {
  std::vector<wire::JobRecord> records;
  JobTally tally;

  void change(std::size_t element, std::mt19937& random) {
    static constexpr wire::JobStatus kAny[] = {wire::STATUS_PEND,  wire::STATUS_PSUSP, wire::STATUS_RUN,
                                               wire::STATUS_SSUSP, wire::STATUS_USUSP, wire::STATUS_DONE,
                                               wire::STATUS_EXIT};
    wire::JobRecord& record = records[element];
    count(tally, record, -1);
    record.set_status(kAny[random() % std::size(kAny)]);
    record.set_started(random() % 2 == 0);
    record.set_exit_status(static_cast<int>(random() % 4) << 8);
    record.set_post_status(random() % 3 == 0   ? wire::POST_RUNNING
                           : random() % 2 == 0 ? wire::POST_ERR
                                               : wire::POST_NONE);
    count(tally, record, 1);
  }
};

TEST(DependencyWatch, NamesEveryJobWhoseConditionChangedItsTruth) {
  int changed_truths = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    Elements array;
    array.records.resize(1 + random() % 10);
    for (const auto& record : array.records) count(array.tally, record, 1);
    DependencyWatch watch;
    std::map<std::uint64_t, Dependency> waiting;
    std::map<std::uint64_t, DependencyTruth> known;
    for (int step = 0; step < 150; ++step) {
      const std::uint64_t number = random() % 40;
      if (random() % 3 == 0 && waiting.count(number) == 0) {
        const auto& dependency = waiting[number] = parsed(any_condition(random));
        watch.add(number, dependency, kId, array.tally);
        known[number] = truth_of(dependency.conditions()[0], array.tally);
      } else if (random() % 6 == 0 && waiting.count(number) != 0) {
        watch.remove(number, waiting[number], kId);
        waiting.erase(number);
      }
      // Sometimes it hears of several changes at once.
      for (unsigned times = 1 + random() % 3; times > 0; --times)
        array.change(random() % array.records.size(), random);
      const auto concerned = watch.changed(1, array.tally);
      for (const auto& [waiter, dependency] : waiting) {
        const auto truth = truth_of(dependency.conditions()[0], array.tally);
        if (truth != known[waiter]) {
          ++changed_truths;
          EXPECT_EQ(concerned.whole.count(waiter), 1U)
              << "seed " << seed << " step " << step << ": " << dependency.text() << " is not told";
        }
        known[waiter] = truth;
      }
      EXPECT_EQ(watch.empty(), waiting.empty());
    }
  }
  EXPECT_GT(changed_truths, 1000) << "the random changes hardly concern any condition";
}

TEST(DependencyWatch, IsEmptyWhenEverybodyHasGone) {
  DependencyWatch watch;
  const JobTally tally{.elements = 4, .pend = 4};
  const auto dependency = parsed("done(7) && numdone(7, >= 2) && done(7[3]) && done(7[*]) && done(8)");
  watch.add(1, dependency, kId, tally);
  watch.add(2, dependency, kId, tally);
  watch.remove(1, dependency, kId);
  EXPECT_FALSE(watch.empty());
  EXPECT_EQ(watch.changed(3, tally).whole, std::set<std::uint64_t>{2});
  watch.remove(2, dependency, kId);
  EXPECT_TRUE(watch.empty());
  const auto concerned = watch.changed(3, JobTally{.elements = 4, .done = 4});
  EXPECT_TRUE(concerned.whole.empty());
  EXPECT_EQ(concerned.same, nullptr);
}

class DependencyCost : public book::BookTest {
 protected:
  // Evaluations while all elements of an array end, one after the other.
  std::uint64_t cost(int elements, int dependents, const std::function<std::string(int)>& condition) {
    start();
    hello("hostA");
    const auto array = submit(book::array_job(elements));
    for (int i = 0; i < dependents; ++i) {
      auto asked = book::plain_job();
      asked.set_dependency(condition(i));
      submit(asked);
    }
    const std::uint64_t before = book->jobs().evaluations();
    for (const JobKey key : book->jobs().elements(array)) {
      dispatch(key);
      runs(key);
      ends(key, 0);
    }
    EXPECT_EQ(book->broken_invariant(), "");
    return book->jobs().evaluations() - before;
  }
};

TEST_F(DependencyCost, GrowsWithElementsPlusDependents) {
  const auto done = [](int) { return std::string("done(arr)"); };
  EXPECT_LE(cost(200, 100, done), 300U);
  EXPECT_LE(cost(400, 200, done), 600U);
  // Each of them waits for another number: it is near it a few times.
  const auto counted = [](int i) { return "numdone(arr, >= " + std::to_string(i + 1) + ")"; };
  EXPECT_LE(cost(200, 100, counted), 10 * 300U);
  // Of one element: that one alone is of interest.
  const auto element = [](int i) { return "done(arr[" + std::to_string(i + 1) + "])"; };
  EXPECT_LE(cost(200, 100, element), 10 * 300U);
}

}  // namespace
}  // namespace rollcall::sched::jobs
