// Orders that wait until all hosts of their job can be named, and the signals behind them.
#include "sched/policy/values/kept_back.hpp"

#include <gtest/gtest.h>

namespace rollcall::sched {
namespace {

const Attempt kFirst{{7, 0}, 1}, kSecond{{7, 0}, 2};

TEST(KeptBack, SignalsFollowTheOrder) {
  KeptBack kept;
  EXPECT_TRUE(kept.signal_leaves("hostA", kFirst));
  kept.ordered("hostA", kFirst, OrderSpan::waits);
  EXPECT_FALSE(kept.signal_leaves("hostA", kFirst));
  EXPECT_TRUE(kept.signal_leaves("hostA", kSecond));
  EXPECT_TRUE(kept.signal_leaves("hostB", kFirst));
  kept.ordered("hostA", kFirst, OrderSpan::waits);
  EXPECT_FALSE(kept.signal_leaves("hostA", kFirst));
  kept.ordered("hostA", kFirst, OrderSpan::stamped);
  EXPECT_TRUE(kept.signal_leaves("hostA", kFirst));
}

TEST(KeptBack, AStartThatIsTakenBackAndAHostThatGoesAreForgotten) {
  KeptBack kept;
  kept.ordered("hostA", kFirst, OrderSpan::waits);
  kept.ordered("hostB", kFirst, OrderSpan::waits);
  kept.released("hostA", kFirst);
  EXPECT_TRUE(kept.signal_leaves("hostA", kFirst));
  kept.gone("hostB");
  EXPECT_TRUE(kept.signal_leaves("hostB", kFirst));
}

TEST(KeptBack, NamesTheHostThatIsNotReachedYet) {
  wire::JobSpan span;
  auto& ours = *span.add_places();
  ours.set_host("n1");
  ours.add_addresses("10.0.0.1");
  EXPECT_EQ(unnamed_host(span), "");
  auto& theirs = *span.add_places();
  theirs.set_host("n2");
  theirs.set_cluster("east");
  EXPECT_EQ(unnamed_host(span), "n2@east");
  ours.clear_addresses();
  EXPECT_EQ(unnamed_host(span), "n1");
}

}  // namespace
}  // namespace rollcall::sched
