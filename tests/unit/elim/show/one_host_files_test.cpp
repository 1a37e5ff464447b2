// The files of `lsf_daemons setup`, read as LIM and mbatchd read them, have no problem.
#include "elim/policy/show/one_host_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/conf/batch_settings.hpp"
#include "common/conf/cluster_files.hpp"

namespace rollcall::elim::show {
namespace {

using ::testing::HasSubstr;

OneHost some_host() {
  OneHost host;
  host.cluster = "mine", host.top = "/home/ann/my cluster", host.host = "n1", host.administrator = "ann";
  host.programs = "/opt/rollcall/bin", host.servers = "/opt/rollcall/etc";
  host.lim_port = 12000, host.res_port = 12001, host.mbd_port = 12002;
  return host;
}

conf::CheckedClusterFiles check(const OneHost& host) {
  conf::FileSources sources;
  sources.env_dir = host.top + "/conf";
  sources.read = [&](const std::string& path) -> Result<std::string> {
    for (const auto& file : one_host_files(host))
      if (host.top + "/" + file.path == path) return file.text;
    return configuration_error(path + ": No such file or directory");
  };
  return conf::read_cluster_files(sources);
}

TEST(OneHostFiles, AreReadWithoutAnyProblem) {
  auto checked = check(some_host());
  ASSERT_TRUE(checked.files);
  const auto batch = conf::read_batch_settings(*checked.files, checked.problems);
  for (const auto& problem : checked.problems.all()) ADD_FAILURE() << problem.line();
  EXPECT_EQ(checked.files->settings.lim_port, 12000);
  EXPECT_EQ(checked.files->settings.log_dir, "/home/ann/my cluster/log");
  EXPECT_EQ(checked.files->cluster.administrators, std::vector<std::string>{"ann"});
  EXPECT_EQ(batch.mbd_host, "n1");
  EXPECT_EQ(batch.mbd_port, 12002);
  EXPECT_EQ(batch.job_dir, "/home/ann/my cluster/jobs");
}

// Maestro, Parsl and AiiDA ask for whole hosts, and hardly any program says -M in KB.
TEST(OneHostFiles, TakeWhatProgramsAskFor) {
  int files_checked = 0;
  for (const auto& file : one_host_files(some_host())) {
    const bool queues = file.path.ends_with("lsb.queues"), lsf_conf = file.path.ends_with("lsf.conf");
    if (queues) EXPECT_THAT(file.text, HasSubstr("\nEXCLUSIVE = Y "));
    if (lsf_conf) EXPECT_THAT(file.text, HasSubstr("\nLSF_UNIT_FOR_LIMITS=MB\n"));
    if (queues || lsf_conf) ++files_checked;
  }
  EXPECT_EQ(files_checked, 2) << "lsb.queues and lsf.conf are among the files";
}

TEST(OneHostFiles, HaveAnAddressWhereTheNameServiceHasNone) {
  auto host = some_host();
  EXPECT_FALSE(check(host).files->names.address("n1"));
  host.address = "127.0.0.1";
  EXPECT_EQ(check(host).files->names.address("n1"), "127.0.0.1");
}

TEST(OneHostFiles, EndWithLsfConf) { EXPECT_EQ(one_host_files(some_host()).back().path, "conf/lsf.conf"); }

TEST(ClusterName, IsPartOfFileNames) {
  for (const char* good : {"c1", "my-cluster", "MY_CLUSTER", "0"})
    EXPECT_EQ(bad_cluster_name(good), "") << good;
  for (const char* bad : {"", "a/b", "..", "a b", "-x", "a\n"}) EXPECT_NE(bad_cluster_name(bad), "") << bad;
  EXPECT_NE(bad_cluster_name(std::string(40, 'x')), "");
}

}  // namespace
}  // namespace rollcall::elim::show
