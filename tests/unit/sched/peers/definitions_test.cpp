// Where the lsf.shared of two clusters differ.
#include "sched/policy/peers/definitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace rollcall::sched::peers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

conf::LsfShared shared() {
  conf::LsfShared files;
  files.host_types = {"LINUX", "SUN"};
  files.models = {{"fast", 2.5, {}, {}}, {"slow", 1, {}, {}}};
  conf::SharedResource licence;
  licence.definition.name = "AppX";
  licence.definition.type = ResourceType::numeric;
  conf::SharedResource fpga;
  fpga.definition.name = "fpga";
  files.resources = {licence, fpga};
  return files;
}
std::vector<std::string> between(const conf::LsfShared& here, const conf::LsfShared& there) {
  return differences(definitions_of(here), believed(definitions_of(there)));
}

TEST(PeerDefinitions, OfTheSameFileDoNotDiffer) { EXPECT_THAT(between(shared(), shared()), IsEmpty()); }

TEST(PeerDefinitions, MayStandInAnotherOrder) {
  conf::LsfShared there = shared();
  std::reverse(there.resources.begin(), there.resources.end());
  std::reverse(there.host_types.begin(), there.host_types.end());
  EXPECT_THAT(between(shared(), there), IsEmpty());
}

TEST(PeerDefinitions, ThatOneClusterAloneHasAreNamed) {
  conf::LsfShared here = shared(), there = shared();
  here.host_types.push_back("ARM");
  there.models.push_back({"new", 4, {}, {}});
  there.resources.erase(there.resources.begin());
  EXPECT_THAT(between(here, there), ElementsAre("host type \"ARM\" is defined here alone",
                                                "host model \"new\" is defined there alone",
                                                "resource \"AppX\" is defined here alone"));
}

TEST(PeerDefinitions, ThatDifferAreExplained) {
  conf::LsfShared there = shared();
  there.models[0].cpu_factor = 3;
  there.resources[0].definition.type = ResourceType::string;
  there.resources[1].definition.interval = 30;
  EXPECT_THAT(between(shared(), there),
              ElementsAre("host model \"fast\": CPU factor is 2.5 here and 3 there",
                          "resource \"AppX\": TYPE is Numeric here and String there",
                          "resource \"fpga\": INTERVAL is given there alone"));
  there = shared();
  there.resources[0].definition.order = ResourceOrder::increasing;
  there.resources[1].definition.consumable = false;
  EXPECT_THAT(between(shared(), there), ElementsAre("resource \"AppX\": INCREASING is N here and Y there",
                                                    "resource \"fpga\": CONSUMABLE is Y here and N there"));
  there = shared();
  there.resources[0].definition.release = false;
  EXPECT_THAT(between(shared(), there), ElementsAre("resource \"AppX\": RELEASE is Y here and N there"));
}

TEST(PeerDefinitions, AreBoundedAndNames) {
  wire::PeerDefinitions told;
  for (int i = 0; i < 10'100; ++i) told.add_types("t" + std::to_string(i));
  told.add_resources()->set_name("a\nb");
  EXPECT_EQ(believed(told).types_size(), 10'000);
  EXPECT_EQ(believed(told).resources_size(), 0);
  told.add_models()->set_name("m");
  told.mutable_models(0)->set_cpu_factor(std::nan(""));
  EXPECT_EQ(believed(told).models_size(), 0);
}

TEST(PeerDefinitions, AreToldToConsumers) {
  conf::LsbResources resources;
  resources.host_exports = {{.hosts = {"a"}, .distribution = {{"west", 1}}}};
  EXPECT_TRUE(exports_to(resources, "west"));
  EXPECT_FALSE(exports_to(resources, "north"));
  resources.resource_exports = {{"AppX", 3, {{"north", 1}}, {}}};
  EXPECT_TRUE(exports_to(resources, "north"));
}

}  // namespace
}  // namespace rollcall::sched::peers
