// MeantHost: a host refuses a request that names another host, as a wrong address brings it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/conf/meant_host.hpp"

namespace rollcall::res {
namespace {

using conf::objection_to_host;
using testing::HasSubstr;

conf::HostNames names_of_the_cluster(const char* hosts = "10.0.0.3 netf3 three\n10.0.0.4 netf4 four\n") {
  conf::HostNames names("", hosts);
  for (const char* name : {"netf3", "netf4", "far.site.com"}) names.add_official(name);
  return names;
}

std::string objection(const std::string& own, const std::string& meant) {
  return objection_to_host(names_of_the_cluster(), own, meant).value_or("");
}

TEST(MeantHost, AcceptsEveryNameOfTheHostItself) {
  for (const char* name : {"netf3", "NETF3", "three", "netf3.site.com"})
    EXPECT_EQ(objection("netf3", name), "") << name;
  EXPECT_EQ(objection("far.site.com", "far"), "");
}

TEST(MeantHost, AcceptsRequestsThatNameNoHost) {
  for (const char* name : {"", "10.0.0.4", "fe80::4", "localhost"})
    EXPECT_EQ(objection("netf3", name), "") << name;
}

TEST(MeantHost, RefusesAnotherHostsRequestAndNamesBoth) {
  for (const char* name : {"netf4", "four", "netf4.site.com"}) {
    const std::string why = objection("netf3", name);
    EXPECT_THAT(why, HasSubstr(name));
    EXPECT_THAT(why, HasSubstr("has reached host netf3"));
    EXPECT_THAT(why, HasSubstr("leads to a wrong address"));
    EXPECT_EQ(why.find('\n'), std::string::npos);
  }
}

// A host that was added since RES has read its files is such a name.
TEST(MeantHost, RefusesANameThatItDoesNotKnow) {
  EXPECT_THAT(objection("netf3", "netf9"), HasSubstr("netf3 does not know this name"));
  EXPECT_EQ(objection("netf3", "net\nf9").find('\n'), std::string::npos);
  EXPECT_NE(objection("netf3", "far.other.com"), "");
}

// Both names in one line of the hosts file: each host still answers to its own name alone.
TEST(MeantHost, TwoHostsInOneLineOfTheHostsFileStayTwo) {
  const auto names = names_of_the_cluster("10.0.0.3 netf3 netf4\n");
  EXPECT_FALSE(objection_to_host(names, "netf3", "netf3"));
  EXPECT_TRUE(objection_to_host(names, "netf3", "netf4"));
}

}  // namespace
}  // namespace rollcall::res
