// What LIM finds of each machine of tests/fixtures/machines.
#include <gtest/gtest.h>

#include "elim/reader/host_reader.hpp"
#include "tests/io/elim/machine_trees.hpp"

namespace rollcall::load {
namespace {

DetectedHost detect(const MachineTree& tree, const std::string& name, const std::string& machine = "x86_64",
                    CountedCpus ncpus = CountedCpus::cores) {
  DetectOptions options;
  options.source = tree.source();
  options.topology = {io::TopologySource::Kind::xml_file, machine_file(name, "topology.xml")};
  options.ncpus = ncpus;
  options.machine = machine;
  return detect_facts(options);
}

struct Expected {
  const char *name, *machine, *type, *model, *architecture;
  int ncpus, nprocs, ncores, nthreads, ndisks;
  std::uint64_t maxmem, maxswp;
};

class LimDetect : public testing::TestWithParam<Expected> {};

TEST_P(LimDetect, FindsTheMachine) {
  const auto& expected = GetParam();
  const MachineTree tree(expected.name);
  const auto host = detect(tree, expected.name, expected.machine);
  EXPECT_EQ(host.facts.type, expected.type);
  EXPECT_EQ(host.facts.model, expected.model);
  EXPECT_EQ(host.architecture, expected.architecture);
  EXPECT_EQ(host.facts.ncpus, expected.ncpus);
  EXPECT_EQ(host.facts.nprocs, expected.nprocs);
  EXPECT_EQ(host.facts.ncores, expected.ncores);
  EXPECT_EQ(host.facts.nthreads, expected.nthreads);
  EXPECT_EQ(host.facts.ndisks, expected.ndisks);
  EXPECT_EQ(host.facts.maxmem, expected.maxmem);
  EXPECT_EQ(host.facts.maxswp, expected.maxswp);
  EXPECT_EQ(host.facts.maxtmp, 409600U);
  EXPECT_TRUE(host.facts.topology.starts_with("Host["));
  EXPECT_TRUE(host.warnings.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Machines, LimDetect,
    testing::Values(Expected{"epyc-vm", "x86_64", "X86_64", "AMD_EPYC", "x26_5192_AMDEPYC", 2, 1, 2, 1, 1,
                             24105, 0},
                    Expected{"epyc-256", "x86_64", "X86_64", "AMD_EPYC7763",
                             "x25_4890_AMDEPYC776364CoreProcessor", 128, 2, 64, 2, 2, 1031784, 0},
                    Expected{"xeon-swap", "x86_64", "X86_64", "Intel_E5",
                             "x6_5187_IntelRXeonRCPUE526700260GHz", 16, 2, 8, 2, 2, 64265, 16383},
                    Expected{"altra-arm", "aarch64", "AARCH64", "ARM_Neoverse_N1", "AARCH64_50_ARM0x410xd0c",
                             80, 1, 80, 1, 2, 261120, 8191},
                    Expected{"hybrid", "x86_64", "X86_64", "Intel_i71260P",
                             "x6_4992_12thGenIntelRCoreTMi71260P", 8, 1, 8, 1, 1, 15728, 2047},
                    Expected{"container", "x86_64", "X86_64", "AMD_EPYC7763",
                             "x25_4890_AMDEPYC776364CoreProcessor", 3, 1, 4, 2, 1, 8192, 0},
                    Expected{"vm-numa-swap", "x86_64", "X86_64", "Intel_Skylake",
                             "x6_2000_IntelXeonProcessorSkylake", 8, 2, 4, 2, 2, 970, 511},
                    Expected{"vm-96", "x86_64", "X86_64", "AMD_EPYCMilan", "x25_2000_AMDEPYCMilanProcessor",
                             96, 2, 48, 1, 1, 1957, 0}),
    [](const auto& machine) {
      std::string name = machine.param.name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(LimDetectNcpus, CountsProcessorsCoresOrThreadsAsConfigured) {
  const MachineTree tree("xeon-swap");
  EXPECT_EQ(detect(tree, "xeon-swap", "x86_64", CountedCpus::procs).facts.ncpus, 2);
  EXPECT_EQ(detect(tree, "xeon-swap", "x86_64", CountedCpus::cores).facts.ncpus, 16);
  EXPECT_EQ(detect(tree, "xeon-swap", "x86_64", CountedCpus::threads).facts.ncpus, 32);
}

TEST(LimDetectModel, IsThatOfLsfSharedWhereOneFits) {
  const MachineTree tree("xeon-swap");
  conf::HostModel model;
  model.name = "PC8220";
  model.architectures = {"x6_5187_IntelRXeonRCPUE5"};
  const std::vector<conf::HostModel> models = {model};
  DetectOptions options;
  options.source = tree.source();
  options.topology = {io::TopologySource::Kind::synthetic, "pack:1 core:2 pu:1"};
  options.machine = "x86_64";
  options.models = &models;
  EXPECT_EQ(detect_facts(options).facts.model, "PC8220");
}

TEST(LimDetectTree, DrawsTheXeon) {
  const MachineTree tree("xeon-swap");
  EXPECT_TRUE(detect(tree, "xeon-swap")
                  .facts.topology.starts_with("Host[62.8G]\n"
                                              "    NUMA[0: 31.4G]\n"
                                              "        Socket\n"
                                              "            core(0 16)\n"
                                              "            core(1 17)\n"))
      << detect(tree, "xeon-swap").facts.topology;
}

TEST(LimDetectFails, NamesWhatItCouldNotFind) {
  DetectOptions options;
  options.source.root = "/nowhere/at/all";
  options.topology = {io::TopologySource::Kind::xml_text, "<what>"};
  const auto host = detect_facts(options);
  ASSERT_EQ(host.warnings.size(), 2U);
  EXPECT_NE(host.warnings[0].find("expected what `lstopo --of xml` writes"), std::string::npos)
      << host.warnings[0];
  EXPECT_EQ(host.warnings[1],
            "/nowhere/at/all/proc/meminfo: not to be read, expected the size of the memory");
  EXPECT_EQ(host.facts.ncpus, 1) << "the documented default";
  EXPECT_EQ(host.facts.maxmem, 0U);
}

}  // namespace
}  // namespace rollcall::load
