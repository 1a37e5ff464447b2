// mbatchd that is started, or killed and started again, while its files are broken: it goes on with those it had.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/io/sched/mbatchd_stage.hpp"

namespace rollcall::mbatchd::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Control = wire::ControlBatch;

class BrokenFiles : public Stage {
 protected:
  static wire::BatchRequest control(Control::Action action) {
    wire::BatchRequest request;
    request.mutable_control()->set_action(action);
    return request;
  }
  // The lines that badmin reconfig prints.
  std::string reconfigured() const {
    const auto reply = ask(control(Control::RECONFIG));
    std::string lines = reply.text() + reply.refusal().text();
    for (const auto& outcome : reply.outcomes().outcomes()) lines += outcome.text() + "\n";
    return lines;
  }
  std::string show_status() const { return ask(control(Control::SHOW_STATUS)).text(); }
  std::string kept() const { return share() + "/configuration.kept"; }
  std::string priority() const {
    wire::BatchRequest request;
    request.mutable_queues();
    const auto reply = ask(request);
    return reply.queues().queues_size() == 1 ? std::to_string(reply.queues().queues(0).priority()) : "none";
  }
  // Each of the files that mbatchd cannot do without, half edited.
  void break_file(const std::string& name) const {
    if (name == "lsf.conf")
      write(name,
            "LSB_SHAREDIR=" + store_directory_ + "\nLSF_CLUSTER_NAME=test\nLSF_LIM_PORT=much\nhalf edit");
    else
      write(name, "Begin Nothing\n");
  }
};

TEST_F(BrokenFiles, AKilledMbatchdComesBackWithTheFilesItHad) {
  write_queues("PRIORITY = 44\n");
  expect_started();
  const int job = submit();
  for (const char* name : {"lsf.conf", "lsf.shared", "lsf.cluster.test", "lsbatch/test/configdir/lsb.params",
                           "lsbatch/test/configdir/lsb.queues", "lsbatch/test/configdir/lsb.hosts"}) {
    const std::string good = file(directory_ + "/conf/" + name);
    kill_hard();
    break_file(name);
    EXPECT_THAT(start(), StartsWith("ready: it has the files of ")) << name << "\n" << log();
    EXPECT_EQ(status(job), wire::STATUS_PEND) << name;
    EXPECT_GT(submit(), 0) << name;
    EXPECT_EQ(priority(), "44") << name;
    EXPECT_THAT(show_status(), HasSubstr("files: the files of "));
    EXPECT_THAT(show_status(), HasSubstr(name)) << "what is wrong";
    const auto refused = ask(control(Control::RECONFIG));
    EXPECT_TRUE(refused.has_refusal()) << "the files are still broken: " << name;
    write(name, good);
  }
  EXPECT_FALSE(ask(control(Control::RECONFIG)).has_refusal()) << log();
  EXPECT_THAT(show_status(), Not(HasSubstr("files: ")));
}

TEST_F(BrokenFiles, ReconfiguredFilesAreKept) {
  expect_started();
  write_queues("PRIORITY = 55\n");
  ASSERT_FALSE(ask(control(Control::RECONFIG)).has_refusal()) << log();
  kill_hard();
  break_file("lsbatch/test/configdir/lsb.queues");
  EXPECT_THAT(start(), HasSubstr("lsb.queues:")) << log();
  EXPECT_EQ(priority(), "55");
}

// What mbatchd ran with, not the last files without a slip.
TEST_F(BrokenFiles, FilesWithAKeptExportAreKeptWithIt) {
  const auto export_of = [&](const std::string& host) {
    write(
        "lsbatch/test/configdir/lsb.resources",
        "Begin HostExport\nPER_HOST = " + host + "\nSLOTS = 1\nDISTRIBUTION = ([west, 1])\nEnd HostExport\n");
  };
  const std::string stays = "PER_HOST " + host_ + ", which no section has now, stays exported as before";
  export_of(host_);
  write_queues("PRIORITY = 44\n");
  expect_started();
  export_of("slip");
  write_queues("PRIORITY = 55\n");
  EXPECT_THAT(reconfigured(), HasSubstr(stays)) << log();
  kill_hard();
  const std::string good = file(directory_ + "/conf/lsbatch/test/configdir/lsb.queues");
  break_file("lsbatch/test/configdir/lsb.queues");
  EXPECT_THAT(start(), StartsWith("ready: it has the files of ")) << log();
  EXPECT_EQ(priority(), "55");
  write("lsbatch/test/configdir/lsb.queues", good);
  EXPECT_THAT(reconfigured(), HasSubstr(stays)) << log();
  kill_hard();
  expect_started();
  EXPECT_THAT(reconfigured(), HasSubstr(stays)) << log();
  export_of(host_);
  EXPECT_THAT(reconfigured(), Not(HasSubstr("stays"))) << log();
}

TEST_F(BrokenFiles, AShareDirectoryThatDoesNotExistIsToldAndMade) {
  store_directory_ = directory_ + "/unmounted";
  write_lsf_conf("LSF_RES_PORT=");
  expect_started();
  EXPECT_THAT(
      log(), HasSubstr("LSB_SHAREDIR: found \"" + store_directory_ + "\", expected a directory that exists"));
  EXPECT_THAT(log(), HasSubstr("LSF_RES_PORT: found no value, expected one"));
  EXPECT_TRUE(std::filesystem::is_directory(store_directory_ + "/test"));
  kill_hard();
  const std::size_t before = log().size();
  expect_started();
  EXPECT_THAT(log().substr(before), Not(HasSubstr("LSB_SHAREDIR")));
}

TEST_F(BrokenFiles, AnInvalidValueIsLeftOutAndTold) {
  write_queues("PRIORITY = much\n");
  expect_started();
  EXPECT_GT(submit(), 0);
  EXPECT_THAT(log(), HasSubstr("lsb.queues:"));
  EXPECT_THAT(log(), HasSubstr("PRIORITY: found \"much\""));
}

TEST_F(BrokenFiles, AMissingFileIsABrokenOne) {
  expect_started();
  kill_hard();
  std::filesystem::remove(directory_ + "/conf/lsbatch/test/configdir/lsb.queues");
  EXPECT_THAT(start(), StartsWith("ready: it has the files of ")) << log();
}

TEST_F(BrokenFiles, GoodFilesAreTakenAsTheyAre) {
  write_queues("PRIORITY = 44\n");
  expect_started();
  kill_hard();
  write_queues("PRIORITY = 45\n");
  expect_started();
  EXPECT_EQ(priority(), "45");
}

TEST_F(BrokenFiles, TheFirstStartNeedsGoodFiles) {
  break_file("lsbatch/test/configdir/lsb.queues");
  EXPECT_THAT(start(), HasSubstr("lsb.queues:"));
  EXPECT_THAT(log(), Not(HasSubstr("starts with"))) << "there are no earlier files to start with";
}

// What was kept for this host is not taken where mbatchd is to run elsewhere now.
TEST_F(BrokenFiles, AnotherHostsMbatchdIsNotStartedHere) {
  expect_started();
  kill_hard();
  break_file("lsbatch/test/configdir/lsb.queues");
  write_lsf_conf("ROLLCALL_MBD_HOST=other");
  EXPECT_THAT(start(), Not(StartsWith("ready")));
}

// The default directory may hold the store of an earlier time: its jobs and its term are old.
TEST_F(BrokenFiles, AnInvalidShareDirectoryIsNotReplacedByTheDefault) {
  store_directory_ = directory_ + "/conf/work";  // the default
  std::filesystem::create_directory(store_directory_);
  write_lsf_conf();
  expect_started();
  kill_hard();
  store_directory_ = "work";
  write_lsf_conf();
  EXPECT_THAT(start(), HasSubstr("LSB_SHAREDIR: found")) << log();
  EXPECT_THAT(log(), Not(HasSubstr("starts with")));
}

TEST_F(BrokenFiles, FilesThatOthersMayWriteAreNotUsed) {
  expect_started();
  ASSERT_EQ(stop(), 0);
  struct stat found {};
  ASSERT_EQ(stat(kept().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0600u);
  break_file("lsbatch/test/configdir/lsb.queues");
  ASSERT_EQ(chmod(share().c_str(), 0777), 0);
  EXPECT_THAT(start(), Not(StartsWith("ready")));
  ASSERT_EQ(chmod(share().c_str(), 0755), 0);
  const std::string whole = file(kept());
  std::ofstream(kept()) << whole.substr(0, whole.size() / 2);
  EXPECT_THAT(start(), Not(StartsWith("ready"))) << "half a file is not used";
  std::ofstream(kept()) << whole;
  EXPECT_THAT(start(), StartsWith("ready: ")) << log();
}

}  // namespace
}  // namespace rollcall::mbatchd::test
