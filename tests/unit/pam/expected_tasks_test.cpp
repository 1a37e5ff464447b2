// How many tasks must register: every rule, in its order.
#include "pam/policy/expected_tasks.hpp"

#include <gtest/gtest.h>

namespace rollcall::pam {
namespace {

// Everything is given; a test takes away what goes before its rule.
ExpectedInputs all() {
  ExpectedInputs inputs;
  inputs.option = 1;
  inputs.launcher = 2;
  inputs.geometry = "{(0,1)(2)}";
  inputs.djob_numproc = "5";
  inputs.allocation = {"a a a a b b", "a 4 b 3", "hostfile", "a\nb\nb\na\na\na\na\nb\n"};
  return inputs;
}

void expect(const ExpectedInputs& inputs, std::optional<int> count, const std::string& rule) {
  const auto expected = expected_tasks(inputs);
  ASSERT_TRUE(expected) << expected.error().text;
  EXPECT_EQ(expected->count, count);
  EXPECT_EQ(expected->rule, rule);
}

TEST(ExpectedTasks, TheFirstRuleThatAppliesDecides) {
  ExpectedInputs inputs = all();
  expect(inputs, 1, "1 by pam's -n");
  inputs.option.reset();
  expect(inputs, 2, "2 by the launcher's own options");
  inputs.launcher.reset();
  expect(inputs, 3, "3 task ids in LSB_PJL_TASK_GEOMETRY");
  inputs.geometry.clear();
  inputs.unique_hosts = true;
  expect(inputs, 2, "2 distinct hosts in LSB_HOSTS (LSF_PAM_HOSTLIST_USE=unique)");
  inputs.unique_hosts = false;
  expect(inputs, 5, "5 in LSB_DJOB_NUMPROC");
  inputs.djob_numproc.clear();
  expect(inputs, 6, "6 slots in LSB_HOSTS");
  inputs.allocation.lsb_hosts.clear();
  expect(inputs, 7, "7 slots in LSB_MCPU_HOSTS");
  inputs.allocation.lsb_mcpu_hosts = " ";
  expect(inputs, 8, "8 slots in LSB_DJOB_HOSTFILE");
  inputs.allocation.hostfile_content.reset();
  expect(inputs, std::nullopt, "no number given: all that have registered when no more come for 2 s");
}

TEST(ExpectedTasks, TasksOnEachHostAreCountedOverTheHostsOfTheAllocation) {
  ExpectedInputs inputs = all();
  inputs.option.reset();
  inputs.launcher.reset();
  inputs.per_host = 3;
  expect(inputs, 6, "6 by the launcher's own options: 3 on each of 2 hosts in LSB_HOSTS");
  inputs.per_host = 0;
  expect(inputs, std::nullopt, "no number given: all that have registered when no more come for 2 s");
  inputs.per_host = 3;
  inputs.allocation = {};
  expect(inputs, std::nullopt, "no number given: all that have registered when no more come for 2 s");
}

TEST(ExpectedTasks, UniqueHostsNeedAListOfHosts) {
  ExpectedInputs inputs;
  inputs.unique_hosts = true;
  inputs.djob_numproc = "5";
  expect(inputs, 5, "5 in LSB_DJOB_NUMPROC");
  inputs.allocation.lsb_mcpu_hosts = "grid03 1 grid05 1 grid01 2";
  expect(inputs, 3, "3 distinct hosts in LSB_MCPU_HOSTS (LSF_PAM_HOSTLIST_USE=unique)");
}

TEST(ExpectedTasks, DecidingValueMustBeValid) {
  const auto refusal = [](const ExpectedInputs& inputs) {
    const auto expected = expected_tasks(inputs);
    if (expected) return std::string("accepted");
    EXPECT_EQ(expected.error().kind, ErrorKind::configuration);
    return expected.error().text;
  };
  ExpectedInputs inputs;
  inputs.geometry = "{(1)(2)}";
  EXPECT_NE(refusal(inputs).find("LSB_PJL_TASK_GEOMETRY: found no task id 0"), std::string::npos);
  inputs = {};
  for (const char* bad : {"0", "-1", "x", "99999999999"}) {
    inputs.djob_numproc = bad;
    EXPECT_NE(refusal(inputs).find("LSB_DJOB_NUMPROC: found \"" + std::string(bad)), std::string::npos);
  }
  inputs = {};
  inputs.allocation.lsb_hosts = "n1 n;2";
  EXPECT_NE(refusal(inputs).find("LSB_HOSTS: found \"n;2\""), std::string::npos);
  inputs = {};
  inputs.allocation.hostfile_name = "/h";
  inputs.allocation.hostfile_content = "n1\nn2 4\n";
  EXPECT_EQ(refusal(inputs), "LSB_DJOB_HOSTFILE: /h:2: found \"4\", expected one host name per line");
  inputs.option = 4;
  EXPECT_EQ(refusal(inputs), "accepted") << "a value that does not decide is not read";
}

TEST(AllocatedHosts, GeometryIsPlacedOnTheHostsInOrder) {
  const AllocationText text{"a b b c", "", "", {}};
  EXPECT_EQ(allocated_hosts(text)->lsb_mcpu_hosts_text(), "a 1 b 2 c 1");
  EXPECT_EQ(allocated_hosts(text, "{(2,5,7)(0,6)(1,3,4)}")->lsb_mcpu_hosts_text(), "a 3 b 2 c 3");
  EXPECT_FALSE(allocated_hosts(text, "{(0)(1)(2)(3)}")) << "four groups on three hosts";
  EXPECT_TRUE(allocated_hosts({}, "{(0)}")->empty());
}

}  // namespace
}  // namespace rollcall::pam
