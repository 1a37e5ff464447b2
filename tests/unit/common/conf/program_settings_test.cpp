// ProgramSettings: a member's default, its value, and what stands in place of a value that cannot be read. The pattern for a test
// of a new parameter.
#include "common/conf/program_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/conf/forward_settings.hpp"

namespace rollcall::conf {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

struct Read {
  ProgramSettings settings;
  std::vector<std::string> errors;
};
Read read(const std::string& lsf_conf) {
  Problems problems;
  Read read{read_program_settings(*LsfConf::parse(lsf_conf, "lsf.conf"), problems), {}};
  for (const auto& error : problems.all()) read.errors.push_back(error.text);
  return read;
}

TEST(ProgramSettings, HaveDefaults) {
  const auto [settings, errors] = read("");
  EXPECT_EQ(settings.res.user_tasks, 128U);
  EXPECT_TRUE(settings.res.job_cgroups);
  EXPECT_EQ(settings.res.memory_of_job, std::nullopt);
  EXPECT_EQ(settings.commands.tries, std::nullopt);
  EXPECT_EQ(settings.mbatchd.most_forwards, 50);
  EXPECT_FALSE(settings.mbatchd.tells_recalls);
  EXPECT_THAT(errors, IsEmpty());
}

TEST(ProgramSettings, AreAsLsfConfSays) {
  const auto [settings, errors] = read(
      "ROLLCALL_USER_TASKS=0\nROLLCALL_JOB_CGROUPS=N\nLSB_JOB_MEMLIMIT=n\nLSB_NTRIES=3\nLSB_SIGSTOP=TSTP\n"
      "ROLLCALL_BJOBS_HISTORY=y\nLSF_HPC_EXTENSIONS=\"SHORT_EVENTFILE HOST_RUSAGE\"\n"
      "LSB_MAX_FORWARD_PER_SESSION=7\nLSB_MC_RECALL_EXIT_INFO=Y\n");
  EXPECT_EQ(settings.res.user_tasks, 0U);
  EXPECT_FALSE(settings.res.job_cgroups);
  EXPECT_EQ(settings.res.memory_of_job, false);
  EXPECT_EQ(settings.commands.tries, 3);
  EXPECT_EQ(settings.res.stop_signal, 20);
  EXPECT_TRUE(settings.commands.bjobs_history);
  EXPECT_TRUE(settings.mbatchd.short_event_hosts && settings.mbatchd.host_usage);
  EXPECT_EQ(settings.mbatchd.most_forwards, 7);
  EXPECT_TRUE(settings.mbatchd.tells_recalls);
  EXPECT_THAT(errors, IsEmpty());
}

TEST(ProgramSettings, HaveDefaultsInPlaceOfWhatCannotBeRead) {
  const auto [settings, errors] = read(
      "ROLLCALL_USER_TASKS=many\nROLLCALL_JOB_CGROUPS=perhaps\nLSB_SIGSTOP=99\nLSB_MAX_FORWARD_PER_SESSION="
      "0\n");
  EXPECT_EQ(settings.res.user_tasks, 128U);
  EXPECT_TRUE(settings.res.job_cgroups);
  EXPECT_EQ(settings.res.stop_signal, 0);
  EXPECT_EQ(settings.mbatchd.most_forwards, 50);
  EXPECT_THAT(errors, UnorderedElementsAre(HasSubstr("ROLLCALL_USER_TASKS: found \"many\", expected "),
                                           HasSubstr("ROLLCALL_JOB_CGROUPS: found \"perhaps\", expected "),
                                           HasSubstr("LSB_SIGSTOP: found \"99\", expected "),
                                           HasSubstr("LSB_MAX_FORWARD_PER_SESSION: found \"0\", expected ")));
}

TEST(ForwardSettings, AreOffUnlessLsfConfTurnsThemOn) {
  Problems problems;
  const auto of = [&](const std::string& text) {
    return read_forward_settings(*LsfConf::parse(text, "lsf.conf"), problems);
  };
  EXPECT_FALSE(of("").remote_resource || of("").room_first);
  EXPECT_TRUE(of("MC_PLUGIN_REMOTE_RESOURCE=y\n").remote_resource);
  EXPECT_TRUE(of("ROLLCALL_FORWARD_ROOM_FIRST=Y\n").room_first);
  EXPECT_THAT(problems.all(), IsEmpty());
  EXPECT_THAT(read("MC_PLUGIN_REMOTE_RESOURCE=perhaps\n").errors,
              UnorderedElementsAre(HasSubstr("MC_PLUGIN_REMOTE_RESOURCE: found \"perhaps\"")));
}

}  // namespace
}  // namespace rollcall::conf
