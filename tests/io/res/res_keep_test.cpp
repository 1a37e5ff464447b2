// What RES keeps, and what it does when it cannot: the term, directories of jobs that are over, output without a place.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/io/res/res_stage.hpp"

namespace rollcall::res::test {
namespace {

using testing::HasSubstr;
using Over = wire::FromRes::JobOver;
namespace fs = std::filesystem;

class ResKeep : public ResStage {
 protected:
  ResKeep() {
    mkdir(path("tmp").c_str(), 0777);
    chmod(path("tmp").c_str(), 01777);
    configure("LSF_TMPDIR=" + path("tmp"));
  }
  std::string folder() const { return path("jobs/" + host_); }
};

TEST_F(ResKeep, NothingIsDoneForATermThatCannotBeKept) {
  start_res();
  start(job("true"));
  wait_for_over();
  // As on a full disk: the place of the new file is taken.
  const std::string place = folder() + "/term.new";
  ASSERT_EQ(mkdir(place.c_str(), 0700), 0);
  wire::ToRes order;
  order.set_term(9);
  *order.mutable_start() = job("touch ran", 2);
  send(order);
  const auto refused = [](const wire::FromRes& told) { return told.has_refused(); };
  wait_until("a refusal", [&] { return find(refused) != nullptr; });
  EXPECT_THAT(find(refused)->refused().why(), HasSubstr("term 9 cannot be kept"));
  EXPECT_EQ(find(refused)->refused().job().key().id(), 2);
  EXPECT_NE(access((folder() + "/2.0.1").c_str(), F_OK), 0) << "the order was not taken";
  ASSERT_EQ(rmdir(place.c_str()), 0);
  term_ = 9;  // mbatchd tries again when RES has dialled it anew
  const std::size_t before = hellos_.size();
  wait_until("a further hello", [&] { return hellos_.size() > before; });
  start(job("touch ran", 2));
  EXPECT_EQ(wait_for_over(2).exit_status(), 0);
  EXPECT_EQ(text(folder() + "/term"), "9\n");
}

TEST_F(ResKeep, RemovesDirectoriesThatAnEarlierResLeft) {
  fs::create_directories(folder() + "/gone.17.1/u/deep");
  chmod(folder().c_str(), 0711);
  write("jobs/" + host_ + "/gone.17.1/u/deep/file", "x");
  start_res();
  wait_until("it to go", [&] { return access((folder() + "/gone.17.1").c_str(), F_OK) != 0; });
  wait_until("what it was renamed to to go", [&] {
    for (const auto& entry : fs::directory_iterator(folder()))
      if (entry.path().filename().string().starts_with("gone.")) return false;
    return true;
  });
  EXPECT_THAT(text("log"), testing::Not(HasSubstr("no order"))) << "it is no job";
  EXPECT_EQ(hellos_.back().jobs_size(), 0);
}

TEST_F(ResKeep, RemovingAJobWithManyFilesDelaysNoOther) {
  start_res();
  start(job("cd $(dirname $LSB_DJOB_HOSTFILE) && mkdir d && cd d && seq 20000 | xargs touch"));
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  acknowledge();
  start(job("true", 2));
  EXPECT_EQ(wait_for_over(2).exit_status(), 0);
  acknowledge(2);
  wait_until("everything to go", [&] {
    for (const auto& entry : fs::directory_iterator(folder()))
      if (entry.is_directory()) return false;
    return true;
  });
}

TEST_F(ResKeep, OutputThatHasNoPlaceGoesElsewhereAndTheJobRuns) {
  start_res();
  auto order = job("echo hello; echo bad >&2");
  order.mutable_submission()->set_output_file("/no/such/directory/out");
  order.mutable_submission()->set_error_file("/no/such/directory/err");
  start(order);
  const auto over = wait_for_over();
  EXPECT_EQ(over.how(), Over::ENDED);
  EXPECT_EQ(over.exit_status(), 0);
  EXPECT_THAT(over.why(), HasSubstr("the output is in " + path("tmp/1.out") + " on " + host_));
  const std::string out = text("tmp/1.out");
  EXPECT_THAT(out, testing::StartsWith("hello\nbad\n"));
  EXPECT_THAT(out,
              HasSubstr("cannot open /no/such/directory/out: No such file or directory; the output is in " +
                        path("tmp/1.out") + " on " + host_ + ".\n"));
  EXPECT_THAT(out, HasSubstr("cannot open /no/such/directory/err: No such file or directory"));
  struct stat facts;
  ASSERT_EQ(stat(path("tmp/1.out").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
}

TEST_F(ResKeep, AReportThatFindsTheDiskFullIsMailedAndSaid) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can mount a small disk";
  fs::create_directory(path("small"));
  if (mount("rollcall-output", path("small").c_str(), "tmpfs", 0, "size=16k,mode=0755") != 0)
    GTEST_SKIP() << "no tmpfs can be mounted here: " << std::strerror(errno);
  struct Mounted {
    std::string place;
    ~Mounted() { umount2(place.c_str(), MNT_DETACH); }
  } const mounted{path("small")};
  write("mailer",
        "#!/bin/sh\ncat > " + path("mail.new") + " && mv " + path("mail.new") + " " + path("mail") + "\n");
  chmod(path("mailer").c_str(), 0755);
  configure("LSB_MAILPROG=" + path("mailer"));
  start_res();
  auto order = job("head -c 100000 /dev/zero; exit 7");
  order.mutable_submission()->set_output_file(path("small/out"));
  start(order);
  const auto over = wait_for_over();
  EXPECT_EQ(over.exit_status(), 7 << 8);
  EXPECT_EQ(over.why(),
            "cannot write the report of its end to " + path("small/out") + ": No space left on device")
      << "for bjobs -l";
  const std::string mail = wait_for_file("mail");
  EXPECT_THAT(mail, HasSubstr("Exited with exit code 7.\n"));
  EXPECT_THAT(mail, HasSubstr("Read file <" + path("small/out") + "> for stdout output"));
  EXPECT_THAT(mail,
              HasSubstr("cannot write this report to " + path("small/out") + ": No space left on device.\n"));
}

TEST_F(ResKeep, ExistingFilesAreNotOverwritten) {
  write("tmp/1.out", "somebody's\n");
  write("target", "kept\n");
  ASSERT_EQ(symlink(path("target").c_str(), path("tmp/1.out.1").c_str()), 0);
  start_res();
  auto order = job("echo hello");
  order.mutable_submission()->set_output_file("/no/such/directory/out");
  start(order);
  wait_for_over();
  EXPECT_EQ(text("tmp/1.out"), "somebody's\n");
  EXPECT_EQ(text("target"), "kept\n");
  EXPECT_THAT(text("tmp/1.out.2"), testing::StartsWith("hello\n"));
}

TEST_F(ResKeep, OutputIsKeptAlsoWhereOthersTookTheUsualNames) {
  for (const char* end : {"", ".1", ".2", ".3", ".4", ".5", ".6", ".7", ".8", ".9"})
    write(std::string("tmp/1.out") + end, "somebody's\n");
  start_res();
  auto order = job("echo hello");
  order.mutable_submission()->set_output_file("/no/such/directory/out");
  start(order);
  wait_for_over();
  std::string kept;
  for (const auto& entry : fs::directory_iterator(path("tmp"))) {
    const std::string found = text("tmp/" + entry.path().filename().string());
    if (found != "somebody's\n") kept += found;
  }
  EXPECT_THAT(kept, testing::StartsWith("hello\n"));
}

// The other cluster does not take the output: there is no mbatchd here that could ask it.
TEST_F(ResKeep, OutputThatAnotherClusterDoesNotTakeIsKept) {
  start_res();
  auto order = job("echo hello");
  order.set_from_cluster("west");
  order.mutable_submission()->set_output_file("/no/such/directory/out");
  start(order);
  const auto over = wait_for_over();
  EXPECT_EQ(over.exit_status(), 0);
  EXPECT_THAT(over.why(), HasSubstr("the output is in " + path("tmp/1.out")));
  EXPECT_THAT(over.why(), HasSubstr("cluster west did not take it"));
  EXPECT_THAT(text("tmp/1.out"), testing::StartsWith("hello\n"));
}

TEST_F(ResKeep, AFifoThatAJobPutsInPlaceOfItsOutputHoldsUpNobody) {
  start_res();
  auto order = job("out=$(readlink /proc/$$/fd/1); rm -f \"$out\" && mkfifo \"$out\" && echo done > made");
  order.set_from_cluster("west");
  order.mutable_submission()->set_output_file("/no/such/directory/out");
  start(order);
  const auto over = wait_for_over();
  EXPECT_EQ(over.exit_status(), 0);
  EXPECT_EQ(text("made"), "done\n");
  EXPECT_NE(access(path("tmp/1.out").c_str(), F_OK), 0) << "it is no output";
}

TEST_F(ResKeep, AMailSaysWhereItIsAndHasItWhereThereIsNoOtherPlace) {
  write("mailer",
        "#!/bin/sh\ncat > " + path("mail.new") + " && mv " + path("mail.new") + " " + path("mail") + "\n");
  chmod(path("mailer").c_str(), 0755);
  configure("LSB_MAILPROG=" + path("mailer"));
  start_res();
  auto order = job("echo hello");
  order.mutable_submission()->set_output_file("/no/such/directory/out");
  start(order);
  wait_for_over();
  EXPECT_THAT(wait_for_file("mail"), HasSubstr("Read file <" + path("tmp/1.out") + "> for stdout output"));
  fs::remove(path("mail"));
  fs::remove_all(path("tmp"));
  start([&] {
    auto second = job("echo again", 2);
    second.mutable_submission()->set_output_file("/no/such/directory/out");
    return second;
  }());
  EXPECT_EQ(wait_for_over(2).exit_status(), 0);
  const std::string mail = wait_for_file("mail");
  EXPECT_THAT(
      mail,
      HasSubstr(
          "cannot open /no/such/directory/out: No such file or directory; the output is in this mail.\n"));
  EXPECT_THAT(mail, testing::EndsWith("again\n"));
}

TEST_F(ResKeep, AJobWithoutItsInputIsOver) {
  start_res();
  auto order = job("touch ran");
  order.mutable_submission()->set_input_file("/no/such/input");
  start(order);
  const auto over = wait_for_over();
  EXPECT_EQ(over.how(), Over::ENDED);
  EXPECT_EQ(over.exit_status(), 1 << 8);
  EXPECT_NE(access(path("ran").c_str(), F_OK), 0);
  EXPECT_THAT(text("out.1"),
              HasSubstr("cannot open /no/such/input: No such file or directory; the job was not run.\n"));
}

}  // namespace
}  // namespace rollcall::res::test
