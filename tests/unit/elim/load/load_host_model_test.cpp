// What hosts are called where lsf.cluster says "!".
#include <gtest/gtest.h>

#include "elim/policy/load/host_model.hpp"

namespace rollcall::load {
namespace {

CpuIdentity named(const std::string& name, int family = 6, double bogomips = 5187) {
  CpuIdentity cpu;
  cpu.name = name;
  cpu.family = family;
  cpu.bogomips = bogomips;
  return cpu;
}

TEST(HostModel, TypesAreTheMachineInCapitals) {
  EXPECT_EQ(host_type("x86_64"), "X86_64");
  EXPECT_EQ(host_type("aarch64"), "AARCH64");
  EXPECT_EQ(host_type("ppc64le"), "PPC64LE");
  EXPECT_EQ(host_type("i686"), "X86");
  EXPECT_EQ(host_type(""), "UNKNOWN");
}

TEST(HostModel, ArchitectureIsPlatformSpeedProcessor) {
  EXPECT_EQ(host_architecture(named("Intel(R) Xeon(R) CPU E5-2670 0 @ 2.60GHz"), "x86_64"),
            "x6_5187_IntelRXeonRCPUE526700260GHz");
  EXPECT_EQ(host_architecture(named("AMD EPYC", 26, 5192.2), "x86_64"), "x26_5192_AMDEPYC");
  EXPECT_EQ(host_architecture(named("ARM 0x41 0xd0c", 0, 50), "aarch64"), "AARCH64_50_ARM0x410xd0c");
  EXPECT_EQ(host_architecture({}, "riscv64"), "RISCV64_0");
}

TEST(HostModel, ShortNamesOfProcessors) {
  const std::pair<const char*, const char*> names[] = {
      {"Intel(R) Xeon(R) CPU E5-2670 0 @ 2.60GHz", "Intel_E5"},
      {"Intel(R) Xeon(R) CPU E7- 4870  @ 2.40GHz", "Intel_E7"},
      {"Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz", "Intel_Gold6148"},
      {"12th Gen Intel(R) Core(TM) i7-1260P", "Intel_i71260P"},
      {"AMD EPYC 7763 64-Core Processor", "AMD_EPYC7763"},
      {"AMD EPYC", "AMD_EPYC"},
      {"POWER9 (architected), altivec supported", "POWER9"},
      {"ARM 0x41 0xd0c", "ARM_Neoverse_N1"},
      {"ARM 0x99 0x123", "ARM_0x99_0x123"},
      {"(((", "X86_64"},
      {"", "X86_64"},
  };
  for (const auto& [name, model] : names) EXPECT_EQ(model_of_processor(named(name), "x86_64"), model) << name;
}

conf::HostModel model(const std::string& name, std::vector<std::string> architectures) {
  conf::HostModel made;
  made.name = name;
  made.architectures = std::move(architectures);
  return made;
}

TEST(HostModel, LsfSharedNamesModelsByArchitecture) {
  const std::vector<conf::HostModel> models = {
      model("Old", {"x6_2000"}),
      model("Intel_E5", {"x6_5000_IntelRXeonRCPUE5", "x6_5600_IntelRXeonRCPUE5"}),
      model("Intel_E5fast", {"x6_5550_intelrxeonrcpue5"}),
      model("Intel_E52670", {"x6_5187_IntelRXeonRCPUE52670"}),
      model("Any64", {"X86_64"}),
      model("Arm", {"AARCH64_50_ARM0x410xd0c"}),
  };
  const auto matched = [&](const std::string& architecture) {
    return matching_model(architecture, "X86_64", models);
  };
  EXPECT_EQ(matched("x6_5187_IntelRXeonRCPUE526700260GHz"), "Intel_E52670") << "the longest name";
  EXPECT_EQ(matched("x6_5190_IntelRXeonRCPUE52600"), "Intel_E5") << "the nearest speed";
  EXPECT_EQ(matched("x6_5540_IntelRXeonRCPUE52600"), "Intel_E5fast");
  EXPECT_EQ(matched("x6_2100_IntelRPentium"), "Old") << "no name, a speed that is near";
  EXPECT_EQ(matched("x6_9000_IntelRPentium"), "Any64") << "the type alone";
  EXPECT_EQ(matching_model("AARCH64_50_ARM0x410xd0c", "AARCH64", models), "Arm");
  EXPECT_EQ(matching_model("RISCV64_0", "RISCV64", models), "");
}

}  // namespace
}  // namespace rollcall::load
