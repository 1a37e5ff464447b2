// Why a pending job is not forwarded, as bjobs -p has it.
#include "sched/policy/answers/forward_reasons.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::sched::answers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

wire::ForwardVerdict row(const std::string& queue, const std::string& tier, const std::string& why) {
  wire::ForwardVerdict row;
  row.set_queue(queue);
  row.set_cluster("east");
  row.set_tier(tier);
  row.set_why(why);
  return row;
}

TEST(ForwardReasons, AreALineForEachQueueThatGetsNoOffer) {
  const RemoteLook look{"a table",
                        {row("a", "", "its cluster is not connected"), row("b", "", "4 slots in all")}};
  EXPECT_THAT(forward_reasons(look, {}),
              ElementsAre("Not forwarded to queue <a> of cluster <east>: its cluster is not connected",
                          "Not forwarded to queue <b> of cluster <east>: 4 slots in all"));
}

TEST(ForwardReasons, NameTheQueuesThatGetTheNextOfferAndWhatRefusedTheLast) {
  const RemoteLook look{"a table", {row("a", "listed", "x"), row("b", "listed", "y"), row("c", "", "full")}};
  wire::JobRecord record;
  EXPECT_THAT(
      forward_reasons(look, record),
      ElementsAre("Not forwarded to queue <c> of cluster <east>: full",
                  "Waiting to be forwarded to queue <a> of cluster <east>, queue <b> of cluster <east>"));
  record.set_start_failure("user ann is not known here");
  EXPECT_EQ(
      forward_reasons(look, record).back(),
      "Waiting to be forwarded to queue <a> of cluster <east>, queue <b> of cluster <east>; refused before: "
      "user ann is not known here");
}

TEST(ForwardReasons, AreTheOneLineOfAJobThatStays) {
  EXPECT_THAT(forward_reasons({"Not forwarded: FWD_USERS of queue few leaves its user out\n", {}}, {}),
              ElementsAre("Not forwarded: FWD_USERS of queue few leaves its user out"));
  EXPECT_THAT(forward_reasons({}, {}), IsEmpty()) << "its queue sends no jobs, or something else holds it";
}

}  // namespace
}  // namespace rollcall::sched::answers
