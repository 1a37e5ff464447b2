// The typed view of lsf.conf and the environment.
#include "pam/policy/pam_config.hpp"

#include <gtest/gtest.h>

namespace rollcall::pam {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Result<PamConfig> config(const std::string& conf, const Environment& environment = {}) {
  return pam_config(*conf::LsfConf::parse(conf, "/etc/lsf.conf"), environment);
}

TEST(PamConfig, DefaultsAreThoseOfTheManual) {
  const auto made = config("");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->registration_timeout, seconds(300));
  EXPECT_EQ(made->clean_job_delay, std::nullopt);
  EXPECT_FALSE(made->unique_hosts);
  EXPECT_EQ(made->terminate_interval, seconds(10));
  EXPECT_EQ(made->key_file + made->server_dir, "");
}

TEST(PamConfig, ReadsEveryParameterFromTheFile) {
  const auto made = config(
      "LSF_HPC_PJL_LOADENV_TIMEOUT=0\nLSF_PAM_CLEAN_JOB_DELAY=4\nLSF_PAM_HOSTLIST_USE=unique\n"
      "JOB_TERMINATE_INTERVAL=0.5\nROLLCALL_KEY_FILE=/k\nLSF_SERVERDIR=/s\n");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->registration_timeout, seconds(0));
  EXPECT_EQ(made->clean_job_delay, seconds(4));
  EXPECT_TRUE(made->unique_hosts);
  EXPECT_EQ(made->terminate_interval, milliseconds(500));
  EXPECT_EQ(made->key_file, "/k");
  EXPECT_EQ(made->server_dir, "/s");
}

TEST(PamConfig, EnvironmentWinsAndAnEmptyVariableIsNotSet) {
  const std::string file =
      "LSF_HPC_PJL_LOADENV_TIMEOUT=60\nLSF_PAM_HOSTLIST_USE=unique\nROLLCALL_KEY_FILE=/k\n";
  const auto made = config(
      file,
      {{"LSF_HPC_PJL_LOADENV_TIMEOUT", "7"}, {"LSF_PAM_HOSTLIST_USE", ""}, {"ROLLCALL_KEY_FILE", "/mine"}});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->registration_timeout, seconds(7));
  EXPECT_TRUE(made->unique_hosts) << "an empty variable counts as not set";
  EXPECT_EQ(made->key_file, "/mine");
}

TEST(PamConfig, HostsHaveRelaysUnlessTheSiteWantsNone) {
  EXPECT_TRUE(config("")->host_relay);
  EXPECT_FALSE(config("ROLLCALL_HOST_RELAY=N\n")->host_relay);
  EXPECT_FALSE(config("ROLLCALL_TASK_RELAY=N\n")->host_relay) << "of shepherds, so of others too";
  EXPECT_TRUE(config("ROLLCALL_TASK_RELAY=N\nROLLCALL_HOST_RELAY=Y\n")->host_relay);
  EXPECT_FALSE(config("ROLLCALL_TASK_RELAY=Y\n", {{"ROLLCALL_HOST_RELAY", "N"}})->host_relay);
}

TEST(PamConfig, EveryBadValueIsNamedWithItsPlace) {
  const auto made = config(
      "# a comment\nLSF_PAM_CLEAN_JOB_DELAY=-4\nJOB_TERMINATE_INTERVAL=ten\nLSF_SERVERDIR=etc\n"
      "ROLLCALL_KEY_FILE=key\n",
      {{"LSF_HPC_PJL_LOADENV_TIMEOUT", "-1"}, {"LSF_PAM_HOSTLIST_USE", "all"}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::configuration);
  EXPECT_EQ(made.error().text,
            "environment: LSF_HPC_PJL_LOADENV_TIMEOUT: found \"-1\", expected seconds from 0 to 1000000000; "
            "/etc/lsf.conf:2: LSF_PAM_CLEAN_JOB_DELAY: found \"-4\", expected seconds from 0 to 1000000000; "
            "environment: LSF_PAM_HOSTLIST_USE: found \"all\", expected unique or nothing; "
            "/etc/lsf.conf:3: JOB_TERMINATE_INTERVAL: found \"ten\", expected seconds from 0 to 1000000000; "
            "/etc/lsf.conf:5: ROLLCALL_KEY_FILE: found \"key\", expected an absolute path; "
            "/etc/lsf.conf:4: LSF_SERVERDIR: found \"etc\", expected an absolute path");
}

TEST(PamConfig, AnEnvironmentIsReadAsGetenvWould) {
  const char* const envp[] = {"A=1", "B=x=y", "A=2", "odd", "C=", nullptr};
  EXPECT_EQ(environment_of(envp), (Environment{{"A", "1"}, {"B", "x=y"}, {"C", ""}}));
  EXPECT_TRUE(environment_of(nullptr).empty());
}

}  // namespace
}  // namespace rollcall::pam
