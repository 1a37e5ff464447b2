// Values of resources that another cluster tells, against what a job asks for.
#include "sched/policy/forward/value_terms.hpp"

#include <gtest/gtest.h>

#include "tests/unit/sched/forward/choice_driver.hpp"

namespace rollcall::sched::forward {
namespace {

using Is = ValueTerm::Is;

ValueTerm number(Is is, double value) {
  return {"licver", is, std::to_string(static_cast<int>(value)), value};
}
ValueTerm word(Is is, const std::string& value) { return {"os", is, value, {}}; }
bool met(const ValueTerm& term, const ResourceValues& told) { return !first_unmet({term}, {told}); }

TEST(ValueTerms, NumbersAreCompared) {
  const ResourceValues told{"licver", {3, 5}, {}, false};
  EXPECT_TRUE(met(number(Is::equal, 3), told));
  EXPECT_FALSE(met(number(Is::equal, 4), told));
  EXPECT_TRUE(met(number(Is::unequal, 3), told)) << "the host with 5";
  EXPECT_FALSE(met(number(Is::unequal, 3), {"licver", {3}, {}, false}));
  EXPECT_FALSE(met(number(Is::above, 5), told));
  EXPECT_TRUE(met(number(Is::at_least, 5), told));
  EXPECT_FALSE(met(number(Is::below, 3), told));
  EXPECT_TRUE(met(number(Is::at_most, 3), told));
}

TEST(ValueTerms, WordsAreCompared) {
  const ResourceValues told{"os", {}, {"rhel7", "rhel8"}, false};
  EXPECT_TRUE(met(word(Is::equal, "rhel8"), told));
  EXPECT_FALSE(met(word(Is::equal, "RHEL8"), told));
  EXPECT_TRUE(met(word(Is::unequal, "rhel8"), told));
  EXPECT_FALSE(met(word(Is::equal, "sles"), told));
  EXPECT_TRUE(met({"os", Is::equal, "8", 8}, {"os", {}, {"8"}, false}))
      << "a string resource with a number in it";
}

TEST(ValueTerms, ResourceWithoutAnyValueMeetsNoTerm) {
  EXPECT_FALSE(met(number(Is::at_least, 0), {"licver", {}, {}, false}));
  EXPECT_FALSE(met(word(Is::unequal, "x"), {"os", {}, {}, false}));
}

// Of too many values the least and the greatest are told.
TEST(ValueTerms, RangeOfTooManyNumbersDecides) {
  const ResourceValues told{"licver", {1, 900}, {}, true};
  EXPECT_TRUE(met(number(Is::equal, 50), told));
  EXPECT_FALSE(met(number(Is::equal, 901), told));
  EXPECT_FALSE(met(number(Is::above, 900), told));
  EXPECT_TRUE(met(number(Is::below, 2), told));
  EXPECT_TRUE(met(word(Is::equal, "x"), {"os", {}, {}, true})) << "which words is not told";
}

TEST(ValueTerms, ResourceThatIsNotToldHasNoEffect) {
  EXPECT_TRUE(met(number(Is::equal, 4), {"other", {1}, {}, false}));
  EXPECT_EQ(first_unmet({word(Is::equal, "x"), number(Is::equal, 4)}, {{"licver", {3}, {}, false}}), 1U);
}

TEST(ForwardChoice, LeavesOutQueuesWithoutTheValue) {
  std::vector<RemoteQueue> queues{remote_queue("old", 90, 0), remote_queue("new", 10, 0),
                                  remote_queue("silent", 5, 0)};
  queues[0].values = {{"licver", {3, 4}, {}, false}};
  queues[1].values = {{"licver", {4, 5}, {}, false}};
  ForwardJob job = job_of(1);
  job.values = {number(Is::at_least, 4), number(Is::at_least, 5)};
  const auto choice = choose(job, queues, settings_of({Kind::resource_only}));
  EXPECT_EQ(choice.offers, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(choice.verdicts[0].why, LeftOut::lacks_value);
  EXPECT_EQ(choice.verdicts[0].lacking, 1U);
}

}  // namespace
}  // namespace rollcall::sched::forward
