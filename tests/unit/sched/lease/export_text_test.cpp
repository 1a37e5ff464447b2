// Exports in force that are written as sections and read again.
#include "sched/policy/lease/export_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::sched::lease {
namespace {

using testing::IsEmpty;

conf::LsbResources read(const std::string& text) {
  conf::Problems problems;
  auto resources =
      conf::read_lsb_resources(conf::parse_sections(text, "lsb.resources", {}, problems), {}, problems);
  EXPECT_FALSE(problems.has_errors()) << problems.all().front().line();
  return resources;
}

template <class Number>
std::string shown(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : "none";
}

// All that an export is, but for its places.
std::vector<std::string> shown(const conf::LsbResources& resources) {
  std::vector<std::string> lines;
  const auto shares = [](const std::vector<conf::Share>& distribution) {
    std::string text;
    for (const auto& share : distribution) text += " " + share.name + "=" + std::to_string(share.amount);
    return text;
  };
  for (const auto& row : resources.host_exports) {
    std::string text = "select " + row.select + " hosts";
    for (const auto& host : row.hosts) text += " " + host;
    lines.push_back(text + " count " + shown(row.host_count) + " slots " + shown(row.slots) + " mem " +
                    shown(row.memory_mb) + " swap " + shown(row.swap_mb) + (row.shared ? " shared" : "") +
                    shares(row.distribution));
  }
  for (const auto& row : resources.resource_exports)
    lines.push_back(row.name + " " + std::to_string(row.instances) + shares(row.distribution));
  return lines;
}

TEST(ExportText, IsReadAgainAsItWas) {
  const std::vector<std::string> sections{
      "Begin HostExport\nPER_HOST = a b[1-2]\nSLOTS = 3\nMEM = 100\nSWP = 0\nDISTRIBUTION = ([west, 1] "
      "[east, 1000000])\nEnd HostExport\n",
      "Begin HostExport\nPER_HOST = (a)\nSLOTS = 3\nTYPE = shared\nDISTRIBUTION = [west, 1]\nEnd "
      "HostExport\n",
      "Begin HostExport\nNHOSTS = 4\nDISTRIBUTION = ([west, 1] [west, 2])\nEnd HostExport\n",
      "Begin HostExport\nRES_SELECT = mem>1  && fpga\nNHOSTS = 4\nDISTRIBUTION = ([west, 1])\nEnd "
      "HostExport\n",
      "Begin HostExport\nRES_SELECT = (mem>1) && (fpga)\nNHOSTS = 4\nDISTRIBUTION = ([west, 1])\nEnd "
      "HostExport\n",
      "Begin HostExport\nRES_SELECT = ((mem>1 && fpga))\nNHOSTS = 4\nDISTRIBUTION = ([west, 1])\nEnd "
      "HostExport\n",
      "Begin HostExport\nRES_SELECT = \"rack=='#1'\"\nNHOSTS = 4\nDISTRIBUTION = ([west, 1])\nEnd "
      "HostExport\n",
      "Begin HostExport\nRES_SELECT PER_HOST NHOSTS SLOTS SWAP DISTRIBUTION\n(mem>1 && fpga) () 2 - 5 "
      "([west, 1])\n"
      "() (a b) - 2 () ([west, 1])\nEnd HostExport\n",
      "Begin SharedResourceExport\nNAME = AppX\nNINSTANCES = 2\nDISTRIBUTION = ([west, 1] [lab, 3])\n"
      "End SharedResourceExport\n"};
  std::string all;
  for (const std::string& text : sections) {
    const auto resources = read(text);
    ASSERT_FALSE(shown(resources).empty()) << text;
    EXPECT_EQ(shown(read_export_text(export_text(resources), "kept")), shown(resources)) << text;
    all += text;
  }
  EXPECT_EQ(shown(read_export_text(export_text(read(all)), "kept")), shown(read(all)));
}

TEST(ExportText, HasNoLimits) {
  const auto resources = read("Begin Limit\nNAME = l\nSLOTS = 1\nEnd Limit\n");
  ASSERT_EQ(resources.limits.size(), 1U);
  EXPECT_EQ(export_text(resources), "");
}

TEST(ExportText, AnInvalidSectionIsLeftOut) {
  EXPECT_THAT(shown(read_export_text("Begin HostExport\nSLOTS = 1\nEnd HostExport\n", "kept")), IsEmpty());
  EXPECT_THAT(shown(read_export_text("no section", "kept")), IsEmpty());
}

}  // namespace
}  // namespace rollcall::sched::lease
