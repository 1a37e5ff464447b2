// RES as root with jobs of another user: every path that the user names is touched as that user, and nothing else is.
// RES as an ordinary user: jobs of its own alone.
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/io/res/res_stage.hpp"

namespace rollcall::res::test {
namespace {

using testing::HasSubstr;
using Over = wire::FromRes::JobOver;

class ResUser : public ResStage {
 protected:
  void SetUp() override {
    user_ = getpwnam("nobody");
    if (geteuid() != 0 || user_ == nullptr) GTEST_SKIP() << "needs root, and the user nobody to run jobs as";
    uid_ = user_->pw_uid;
    gid_ = user_->pw_gid;
    home_ = path("home");
    ASSERT_EQ(mkdir(home_.c_str(), 0755), 0);
    ASSERT_EQ(chown(home_.c_str(), uid_, gid_), 0);
  }
  wire::ToRes::StartJob users_job(const std::string& command, int id = 1) {
    auto order = job(command, id);
    auto& asked = *order.mutable_submission();
    asked.set_user("nobody");
    asked.set_uid(uid_);
    asked.set_gid(gid_);
    asked.set_cwd(home_);
    asked.set_output_file("out.%J");
    return order;
  }
  const passwd* user_ = nullptr;
  uid_t uid_ = 0;
  gid_t gid_ = 0;
  std::string home_;
};

TEST_F(ResUser, AJobIsItsUserInEveryRespect) {
  start_res();
  start(
      users_job("id -u; id -g; grep -E '^(Uid|Gid|Groups|CapEff|CapPrm)' /proc/self/status; ls -ld $(dirname "
                "$LSB_DJOB_HOSTFILE)"));
  const auto over = wait_for_over();
  EXPECT_EQ(over.exit_status(), 0) << over.why();
  const std::string out = text("home/out.1");
  const std::string uid = std::to_string(uid_), gid = std::to_string(gid_);
  EXPECT_THAT(out, testing::StartsWith(uid + "\n" + gid + "\n"));
  EXPECT_THAT(out, HasSubstr("Uid:\t" + uid + "\t" + uid + "\t" + uid + "\t" + uid + "\n"));
  EXPECT_THAT(out, HasSubstr("Gid:\t" + gid + "\t" + gid + "\t" + gid + "\t" + gid + "\n"));
  EXPECT_THAT(out, HasSubstr("CapPrm:\t0000000000000000\n"));
  EXPECT_THAT(out, HasSubstr("CapEff:\t0000000000000000\n"));
  EXPECT_THAT(out, HasSubstr("drwx------"));
  struct stat facts;
  ASSERT_EQ(stat(path("home/out.1").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, uid_);
}

TEST_F(ResUser, AnOutputFileThatLeadsToRootsFileIsNotWritten) {
  ASSERT_EQ(mkdir(path("tmp").c_str(), 0777), 0);
  ASSERT_EQ(chmod(path("tmp").c_str(), 01777), 0);
  configure("LSF_TMPDIR=" + path("tmp"));
  write("secret", "of root\n");
  chmod(path("secret").c_str(), 0600);
  ASSERT_EQ(symlink(path("secret").c_str(), (home_ + "/out.1").c_str()), 0);
  start_res();
  start(users_job("echo overwritten"));
  EXPECT_EQ(wait_for_over().how(), Over::ENDED);
  EXPECT_EQ(text("secret"), "of root\n");
  EXPECT_THAT(text("tmp/1.out"), testing::StartsWith("overwritten\n"));
  EXPECT_THAT(text("tmp/1.out"), HasSubstr("cannot open " + home_ + "/out.1: Permission denied"));
  struct stat facts;
  ASSERT_EQ(stat(path("tmp/1.out").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, uid_);
}

TEST_F(ResUser, AnInputFileOfRootIsNotRead) {
  write("secret", "of root\n");
  chmod(path("secret").c_str(), 0600);
  start_res();
  auto order = users_job("cat");
  order.mutable_submission()->set_input_file(path("secret"));
  start(order);
  const auto over = wait_for_over();
  EXPECT_EQ(over.exit_status(), 1 << 8);
  EXPECT_THAT(over.why(), HasSubstr("cannot open " + path("secret") + ": Permission denied"));
  EXPECT_THAT(text("home/out.1"), testing::Not(HasSubstr("of root")));
}

TEST_F(ResUser, PreAndPostExecutionRunAsTheUser) {
  start_res();
  auto order = users_job("true");
  order.set_queue_pre_exec("id -u > " + home_ + "/pre");
  order.set_queue_post_exec("id -u > " + home_ + "/post");
  start(order);
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  wait_until("PostOver",
             [&] { return find([](const auto& told) { return told.has_post_over(); }) != nullptr; });
  EXPECT_EQ(text("home/pre"), std::to_string(uid_) + "\n");
  EXPECT_EQ(text("home/post"), std::to_string(uid_) + "\n");
}

TEST_F(ResUser, TheUserCannotReadOrChangeWhatResKeeps) {
  start_res();
  start(users_job(
      "d=$(dirname $(dirname $LSB_DJOB_HOSTFILE)); cat $d/order; ls $d; echo x > $d/end; rm -f $d/order; "
      "touch $d/u/mine && echo own; test -e $d/order && echo kept"));
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  const std::string out = text("home/out.1");
  EXPECT_THAT(out, HasSubstr("own\n"));
  EXPECT_THAT(out, HasSubstr("cat: " + job_directory() + "/order: Permission denied"));
  EXPECT_THAT(out, HasSubstr("ls: cannot open directory"));
  EXPECT_THAT(out, HasSubstr("cannot create " + job_directory() + "/end: Permission denied"));
}

TEST_F(ResUser, AUserWhoKillsTheirShepherdLosesTheirJob) {
  start_res();
  start(users_job("echo $$ > started; kill -9 $PPID; sleep 1000"));
  EXPECT_EQ(wait_for_over().how(), Over::SHEPHERD_LOST);
  EXPECT_FALSE(lives(std::stoi(text("home/started"))));
}

TEST_F(ResUser, WhatAUserLeavesInTheirFolderGoesAndNothingBehindIt) {
  mkdir(path("keep").c_str(), 0777);
  chmod(path("keep").c_str(), 0777);
  write("keep/file", "kept\n");
  start_res();
  start(users_job("cd $(dirname $LSB_DJOB_HOSTFILE) && mkdir -p a/b && touch a/b/c && ln -s " + path("keep") +
                  " a/link"));
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  acknowledge();
  wait_until("the directory to go", [&] { return access(job_directory().c_str(), F_OK) != 0; });
  EXPECT_EQ(text("keep/file"), "kept\n");
}

TEST_F(ResUser, AnOrdinaryUsersResRefusesTheJobsOfOthers) {
  // The same program as nobody: its key and its folders are nobody's then.
  for (const char* name : {"cluster.key", "cluster.key.pub", "log"}) {
    if (std::string(name) == "log") write(name, "");
    ASSERT_EQ(chown(path(name).c_str(), uid_, gid_), 0);
  }
  ASSERT_EQ(chown(directory_.c_str(), uid_, gid_), 0);
  as_user_ = uid_;
  start_res();
  start(job("true", 1));  // root's
  const auto over = wait_for_over(1);
  EXPECT_EQ(over.how(), Over::NOT_STARTED);
  EXPECT_THAT(over.why(), HasSubstr("does not run as root"));
  start(users_job("id -u", 2));
  EXPECT_EQ(wait_for_over(2).exit_status(), 0);
  EXPECT_THAT(text("home/out.2"), testing::StartsWith(std::to_string(uid_) + "\n"));
}

}  // namespace
}  // namespace rollcall::res::test
