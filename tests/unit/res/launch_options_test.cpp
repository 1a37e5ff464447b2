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
  EXPECT_THAT(options->words, ElementsAre("hostA", "env", "-i", "x"));
  options = parse_blaunch({"-z", "h1 h2", "hostname"});
  EXPECT_THAT(options->hosts, ElementsAre("h1", "h2"));
  EXPECT_THAT(options->words, ElementsAre("hostname"));
  options = parse_blaunch({"-u", "file", "-no-shell", "a b"});
  EXPECT_EQ(options->host_file, "file");
  EXPECT_EQ(options->shell, LaunchShell::none);
  EXPECT_EQ(parse_blaunch({"-use-login-shell", "h", "x"})->shell, LaunchShell::login);
}

TEST(Blaunch, RefusesUnknownOptions) {
  EXPECT_THAT(parse_blaunch({"-nosuch", "h", "x"}).error().text, HasSubstr("-nosuch: unknown option"));
  EXPECT_THAT(parse_blaunch({"-P", "h", "x"}).error().text, HasSubstr("-P: unknown option"));
  EXPECT_THAT(parse_blaunch({}).error().text, HasSubstr("no command"));
  EXPECT_THAT(parse_blaunch({"-z", "a", "-u", "f", "x"}).error().text, HasSubstr("one of them"));
  EXPECT_TRUE(parse_blaunch({"-h"})->help);
  EXPECT_TRUE(parse_blaunch({"-V"})->version);
}

TEST(Blaunch, IgnoresOptionsOfRshAndSsh) {
  for (const std::vector<std::string>& options :
       std::initializer_list<std::vector<std::string>>{{"-x"},
                                                       {"-q", "-T"},
                                                       {"-qtt"},
                                                       {"-l", "somebody"},
                                                       {"-luser"},
                                                       {"-p", "22"},
                                                       {"-o", "BatchMode=yes"},
                                                       {"-oBatchMode=yes"}}) {
    auto words = options;
    for (const char* word : {"-n", "h", "cmd", "-x"}) words.emplace_back(word);
    const auto parsed = parse_blaunch(words);
    ASSERT_TRUE(parsed) << options.front() << ": " << parsed.error().text;
    EXPECT_THAT(parsed->words, ElementsAre("h", "cmd", "-x")) << options.front();
    EXPECT_TRUE(parsed->no_input);
  }
  EXPECT_FALSE(parse_blaunch({"-l"})) << "no value, and no command";
  EXPECT_FALSE(parse_lsgrun({"-x", "-m", "a", "hostname"})) << "blaunch alone stands in for them";
}

TEST(Blaunch, TheFirstWordIsAHostOrTheCommandOfAllSlots) {
  const auto is_host = [](const std::string& word) { return word == "n1" || word == "n2"; };
  const std::vector<std::string> slots{"n1", "n1", "n2"};
  const auto taken = [&](std::vector<std::string> words) {
    auto options = parse_blaunch(words);
    const auto done = take_host(*options, is_host, slots);
    EXPECT_TRUE(done) << done.error().text;
    return *options;
  };
  EXPECT_THAT(taken({"n2", "hostname", "n1"}).hosts, ElementsAre("n2"));
  EXPECT_THAT(taken({"n2", "hostname", "n1"}).words, ElementsAre("hostname", "n1"));
  EXPECT_THAT(taken({"hostname", "n1"}).hosts, ElementsAre("n1", "n1", "n2"));
  EXPECT_THAT(taken({"hostname", "n1"}).words, ElementsAre("hostname", "n1"));
  EXPECT_THAT(taken({"-z", "n1", "n2", "x"}).words, ElementsAre("n2", "x")) << "hosts were named";
  auto alone = parse_blaunch({"n1"});
  EXPECT_THAT(take_host(*alone, is_host, slots).error().text, HasSubstr("no command"));
  auto nowhere = parse_blaunch({"hostname"});
  EXPECT_THAT(take_host(*nowhere, is_host, {}).error().text, HasSubstr("no host"));
}

TEST(Lsgrun, HasOneWayToNameHosts) {
  const auto options = parse_lsgrun({"-v", "-p", "-m", "a b", "hostname", "-v"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->verbose && options->parallel);
  EXPECT_THAT(options->hosts, ElementsAre("a", "b"));
  EXPECT_THAT(options->words, ElementsAre("hostname", "-v"));
  EXPECT_TRUE(parse_lsgrun({"hostname"})) << "on all hosts";
  EXPECT_FALSE(parse_lsgrun({"-m", ""}));
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
TEST(Lsrun, SaysThatBorrowedHostsRunJobsAlone) {
  const auto text = [](const auto& parsed) { return parsed ? std::string() : parsed.error().text; };
  EXPECT_EQ(text(parse_lsrun({"-m", "n4@east", "hostname"})),
            "-m: lsrun does not run on hosts of other clusters, found \"n4@east\"; submit a job, such as "
            "bsub -I -m HOST@CLUSTER COMMAND");
  EXPECT_THAT(text(parse_lsgrun({"-m", "n1 n4@east", "hostname"})),
              testing::StartsWith("-m: lsgrun does not run on hosts of other clusters, found \"n4@east\""));
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

TEST(HostsOfJob, AreThoseOfAnyVariable) {
  EXPECT_THAT(hosts_of_job({"n1 2 n2 1", "", ""}), ElementsAre("n1", "n2"));
  EXPECT_THAT(hosts_of_job({"n1 2", "n1 n1 n3", "n1\nn2\nn2\n"}), ElementsAre("n1", "n3", "n2"));
  EXPECT_TRUE(hosts_of_job({}).empty());
}

TEST(SlotsOfJob, AreAWordEach) {
  EXPECT_THAT(slots_of_job({"n2 1 n1 2", "n1 n1 n2", "n1\nn1\nn2\n"}), ElementsAre("n1", "n1", "n2"));
  EXPECT_THAT(slots_of_job({"n2 1 n1 2", "n1 n1 n2", ""}), ElementsAre("n1", "n1", "n2"));
  EXPECT_THAT(slots_of_job({"n2 1 n1 2", "", ""}), ElementsAre("n2", "n1", "n1"));
  EXPECT_TRUE(slots_of_job({}).empty());
}

TEST(HostsOfJob, HostOutsideTheJobIsNamed) {
  EXPECT_EQ(stranger_among({"n1", "n2"}, {"n1", "n2", "n3"}, {12, 0}), "");
  EXPECT_EQ(stranger_among({"n1", "n4"}, {"n1", "n2"}, {12, 0}),
            "host n4 is not one of job 12, which has n1 n2");
  EXPECT_EQ(stranger_among({"n4"}, {}, {12, 0}), "") << "no variable names its hosts: RES knows them";
  EXPECT_EQ(stranger_among({"x"}, {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}, {12, 3}),
            "host x is not one of job 12[3], which has a b c d e f g h and 2 more");
}

}  // namespace
