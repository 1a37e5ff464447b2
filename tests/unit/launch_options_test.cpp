// The command lines of blaunch, lsrun, lsgrun.
#include "res/policy/launch_options.hpp"

#include <gmock/gmock.h>

using namespace rollcall::res;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

TEST(Blaunch, HasAHostOrSeveral) {
  auto options = parse_blaunch({"-n", "hostA", "env", "-i", "x"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->no_input);
  EXPECT_THAT(options->hosts, ElementsAre("hostA"));
  EXPECT_THAT(options->words, ElementsAre("env", "-i", "x"));
  options = parse_blaunch({"-z", "h1 h2", "hostname"});
  EXPECT_THAT(options->hosts, ElementsAre("h1", "h2"));
  EXPECT_THAT(options->words, ElementsAre("hostname"));
  options = parse_blaunch({"-u", "file", "-no-shell", "a b"});
  EXPECT_EQ(options->host_file, "file");
  EXPECT_EQ(options->shell, LaunchShell::none);
  EXPECT_EQ(parse_blaunch({"-use-login-shell", "h", "x"})->shell, LaunchShell::login);
}

TEST(Blaunch, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(parse_blaunch({"-q", "h", "x"}).error().text, HasSubstr("-q: found an option that nobody has"));
  EXPECT_THAT(parse_blaunch({"h"}).error().text, HasSubstr("no command"));
  EXPECT_THAT(parse_blaunch({}).error().text, HasSubstr("no host"));
  EXPECT_THAT(parse_blaunch({"-z", "a", "-u", "f", "x"}).error().text, HasSubstr("one of them"));
  EXPECT_TRUE(parse_blaunch({"-h"})->help);
  EXPECT_TRUE(parse_blaunch({"-V"})->version);
}

TEST(Lsgrun, HasOneWayToNameHosts) {
  const auto options = parse_lsgrun({"-v", "-p", "-m", "a b", "hostname", "-v"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->verbose && options->parallel);
  EXPECT_THAT(options->hosts, ElementsAre("a", "b"));
  EXPECT_THAT(options->words, ElementsAre("hostname", "-v"));
  EXPECT_FALSE(parse_lsgrun({"hostname"}));
  EXPECT_FALSE(parse_lsgrun({"-m", "a", "-R", "mem>5", "hostname"}));
  EXPECT_FALSE(parse_lsgrun({"-p", "-P", "-m", "a", "hostname"}));
}

TEST(Lsrun, HasHostsAndARequirement) {
  const auto options = parse_lsrun({"-m", "a b", "-R", "type==any", "-P", "hostname"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->terminal);
  EXPECT_EQ(options->resreq, "type==any");
  EXPECT_FALSE(parse_lsrun({"-v"}));
}

TEST(HostFiles, HaveAHostOnEachLine) {
  EXPECT_THAT(hosts_of_file("a\n# c\n\n  b  # x\nc"), ElementsAre("a", "b", "c"));
}

TEST(LaunchJobs, AreThoseWeAreIn) {
  EXPECT_EQ(launch_job("12", "3")->index, 3);
  EXPECT_EQ(launch_job("12", "")->id, 12);
  EXPECT_THAT(launch_job("", "").error().text, HasSubstr("expected to be run in a job"));
  EXPECT_FALSE(launch_job("x", "0"));
}

}  // namespace
