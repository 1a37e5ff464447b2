// One rule for host names: short, qualified, aliases, case, stripped domains.
#include "common/conf/host_names.hpp"

#include <gtest/gtest.h>

namespace rollcall::conf {
namespace {

constexpr const char* kHosts =
    "# the site's own\n10.1.0.1 grid01.lab.example grid01 g1\n10.1.0.2\tgrid02 \r\nfe80::7 grid07 # six\n"
    "nonsense\n not-an-address grid09\n10.1.0.9 grid01\n";

HostNames names_of(std::vector<std::string> official, const char* domains = "", const char* hosts = "") {
  HostNames names(domains, hosts);
  for (const auto& name : official) names.add_official(names.short_of_domain(name));
  return names;
}

TEST(HostNames, ShortQualifiedAndAnyCase) {
  const auto names = names_of({"hostA.lab.example", "hostB"});
  EXPECT_EQ(names.official("hostA.lab.example"), "hostA.lab.example");
  EXPECT_EQ(names.official("HOSTA"), "hostA.lab.example");
  EXPECT_EQ(names.official("hosta.LAB.example."), "hostA.lab.example");
  EXPECT_EQ(names.official("hostb"), "hostB");
  EXPECT_EQ(names.official("hostB.lab.example"), std::nullopt)
      << "only LSF_STRIP_DOMAIN says that this is hostB";
  EXPECT_EQ(names.official("hostC"), std::nullopt);
  EXPECT_EQ(names.official(""), std::nullopt);
}

TEST(HostNames, ANameOfTwoHostsMeansNeither) {
  const auto names = names_of({"hostA.x.example", "hostA.y.example", "hostB", "hostB.x.example"});
  EXPECT_EQ(names.official("hostA"), std::nullopt);
  EXPECT_EQ(names.official("hostA.x.example"), "hostA.x.example");
  EXPECT_EQ(names.official("hostB"), "hostB") << "the host with exactly this name comes first";
}

TEST(HostNames, StrippedDomainsDoNotMatter) {
  for (const char* domains : {".a.example:.b.example", ":.a.example:.b.example:", "a.example:b.example"}) {
    const auto names = names_of({"hostA", "hostB.a.example"}, domains);
    EXPECT_EQ(names.official("hostA.a.example"), "hostA") << domains;
    EXPECT_EQ(names.official("HostA.B.Example"), "hostA") << domains;
    EXPECT_EQ(names.official("hostB.a.example"), "hostB") << domains;
    EXPECT_EQ(names.official("hostA.c.example"), std::nullopt) << domains;
  }
  EXPECT_EQ(names_of({}, ".a.example").short_of_domain(".a.example"), ".a.example");
}

TEST(HostNames, HostsFileGivesAliasesAndAddresses) {
  const auto names = names_of({"grid01", "grid02", "grid07"}, "", kHosts);
  EXPECT_EQ(names.official("g1"), "grid01");
  EXPECT_EQ(names.official("GRID01.lab.example"), "grid01");
  EXPECT_EQ(names.address("grid01"), "10.1.0.1") << "the first line of a name counts";
  EXPECT_EQ(names.address("grid02"), "10.1.0.2");
  EXPECT_EQ(names.address("grid07"), "fe80::7");
  EXPECT_EQ(names.address("grid09"), std::nullopt);
  using List = std::vector<std::string>;
  EXPECT_EQ(names.addresses("grid01"), (List{"10.1.0.1", "10.1.0.9"})) << "a host with two addresses";
  EXPECT_EQ(names.addresses("G1"), (List{"10.1.0.1"}));
  EXPECT_EQ(names.addresses("grid02"), (List{"10.1.0.2"}));
  EXPECT_EQ(names.addresses("grid09"), List{});
}

}  // namespace
}  // namespace rollcall::conf
