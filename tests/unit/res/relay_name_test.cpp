// The name under which TaskStarters find their shepherd.
#include "res/policy/relay_name.hpp"

#include <gtest/gtest.h>

namespace rollcall::res {
namespace {

TEST(RelayNameTest, IsTheSameOnEveryHostOfAJob) {
  wire::JobOrder first, other;
  for (auto* order : {&first, &other}) {
    order->set_task_relay(true);
    order->set_uid(1000);
    order->mutable_settings()->set_cluster("c1");
  }
  auto& job = *first.mutable_start()->mutable_job();
  job.mutable_key()->set_id(12);
  job.mutable_key()->set_index(3);
  job.set_attempt(2);
  *other.mutable_expect()->mutable_job() = job;
  EXPECT_EQ(relay_name(first), "rollcall/c1/12.3.2/1000");
  EXPECT_EQ(relay_name(other), relay_name(first));
  other.set_task_relay(false);
  EXPECT_EQ(relay_name(other), "");
  first.set_task_only(true);
  EXPECT_EQ(relay_name(first), "");
}

}  // namespace
}  // namespace rollcall::res
