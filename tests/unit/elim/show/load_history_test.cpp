// The graph of lsload --watch.
#include "elim/policy/show/load_history.hpp"

#include <gtest/gtest.h>

#include "common/base/load_vector.hpp"

namespace rollcall::elim::show {
namespace {

wire::Reply::Loads sample(std::initializer_list<float> r1m_of_hosts) {
  wire::Reply::Loads loads;
  loads.add_names("r1m");
  for (const float value : r1m_of_hosts) loads.add_hosts()->add_values(value);
  return loads;
}

TEST(LoadHistory, DrawsFromTheLeastToTheLargest) {
  LoadHistory history;
  for (const float value : {0.0F, 1.0F, 2.0F, 4.0F}) history.take(sample({value}));
  EXPECT_EQ(history.graph({"r1m"}, false), "r1m     4.0      _:=#\n");
  EXPECT_EQ(history.graph({"r1m"}, true), "r1m     4.0      ▁▃▅█\n");
}

TEST(LoadHistory, TakesTheMeanOfHostsThatAreUpAndKnow) {
  LoadHistory history;
  auto loads = sample({1.0F, 3.0F, kUnknownLoad, 100.0F});
  loads.mutable_hosts(3)->mutable_status()->set_unavailable(true);
  history.take(loads);
  EXPECT_EQ(history.graph({"r1m"}, false), "r1m     2.0      _\n");
}

TEST(LoadHistory, SaysHowLongTheMostSilentHostHasBeenSilent) {
  LoadHistory history;
  auto loads = sample({1.0F, 1.0F, 1.0F});
  loads.mutable_hosts(0)->add_age_ms(4000);
  loads.mutable_hosts(1)->add_age_ms(620000);
  loads.mutable_hosts(2)->add_age_ms(4294967295U);
  history.take(loads);
  EXPECT_EQ(history.graph({"r1m"}, false), "r1m     1.0  10m _\n");
}

TEST(LoadHistory, LeavesAGapWhereNothingWasKnown) {
  LoadHistory history;
  history.take(sample({1.0F}));
  history.take(sample({}));
  history.take(sample({2.0F}));
  EXPECT_EQ(history.graph({"r1m"}, false), "r1m     2.0      _ #\n");
}

TEST(LoadHistory, ForgetsTheOldestAndLeavesOutWhatItNeverSaw) {
  LoadHistory history;
  for (std::size_t i = 0; i < kHistory + 5; ++i) history.take(sample({1.0F}));
  EXPECT_EQ(history.graph({"r1m", "gone"}, false), "r1m      1.0      " + std::string(kHistory, '_') + "\n");
}

}  // namespace
}  // namespace rollcall::elim::show
