// What a job is given by its host: its session, its umask, a TMPDIR, and each limit of the kernel or of its shepherd.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/io/res/res_stage.hpp"

namespace rollcall::res::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Over = wire::FromRes::JobOver;

class ResSurroundings : public ResStage {
 protected:
  void want_tmp_dirs() {
    ASSERT_EQ(mkdir(path("tmp").c_str(), 0777), 0);
    configure("LSB_SET_TMPDIR=Y");
    configure("LSF_TMPDIR=" + path("tmp"));
  }
};

TEST_F(ResSurroundings, ASessionOfItsOwnWithNoTerminal) {
  start_res();
  // pid (name) state parent group session terminal
  start(
      job("read -r pid name state parent group session terminal rest </proc/$$/stat; echo $((pid == group)) "
          "$((pid == session)) $terminal; umask"));
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  EXPECT_THAT(text("out.1"), StartsWith("1 1 0\n0022\n"));
  auto other = job("umask", 2);
  other.mutable_submission()->set_umask(027);
  start(other);
  wait_for_over(2);
  EXPECT_THAT(text("out.2"), StartsWith("0027\n")) << "that of bsub";
}

TEST_F(ResSurroundings, ATmpdirThatGoesWithTheJob) {
  want_tmp_dirs();
  start_res();
  start(job("echo $TMPDIR; stat -c %a $TMPDIR; mkdir -p $TMPDIR/deep; echo x >$TMPDIR/deep/file"));
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  EXPECT_THAT(text("out.1"), StartsWith(path("tmp/1.tmpdir") + "\n700\n"));
  acknowledge();
  wait_until("it to go", [&] { return access(path("tmp/1.tmpdir").c_str(), F_OK) != 0; });
}

TEST_F(ResSurroundings, ATmpdirOfSomebodyElseIsNotTaken) {
  want_tmp_dirs();
  ASSERT_EQ(mkdir(path("elsewhere").c_str(), 0755), 0);
  ASSERT_EQ(symlink(path("elsewhere").c_str(), path("tmp/1.tmpdir").c_str()), 0);
  start_res();
  start(job("echo \"[$TMPDIR]\""));
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  EXPECT_THAT(text("out.1"), StartsWith("[]\n")) << "a link leads anywhere";
  EXPECT_EQ(access(path("elsewhere").c_str(), F_OK), 0);
}

TEST_F(ResSurroundings, NoTmpdirWhereTheSiteSetsNone) {
  start_res();
  start(job("echo \"[$TMPDIR]\""));
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  EXPECT_THAT(text("out.1"), StartsWith("[]\n"));
}

TEST_F(ResSurroundings, KernelEnforcesTheDataLimit) {
  start_res();
  auto order = job("ulimit -d");
  order.mutable_limits()->set_data_kb(700'000);
  start(order);
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  EXPECT_THAT(text("out.1"), StartsWith("700000\n"));
}

TEST_F(ResSurroundings, TheThreadLimitOfTheJob) {
  start_res();
  write("threads.py",
        "import threading, time\n"
        "for _ in range(6): threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n"
        "time.sleep(1000)\n");
  auto order = job("exec python3 " + path("threads.py"));
  order.mutable_limits()->set_threads(4);
  start(order);
  const auto over = wait_for_over();
  EXPECT_EQ(over.term_reason(), 21);
  EXPECT_GE(over.usage().max_threads(), 7);
}

TEST_F(ResSurroundings, TheSwapLimitOfTheJob) {
  start_res();
  write("large.py", "import mmap, time\nroom = mmap.mmap(-1, 600 << 20)\ntime.sleep(1000)\n");
  auto order = job("exec python3 " + path("large.py"));
  order.mutable_limits()->set_swap_kb(400'000);
  start(order);
  const auto over = wait_for_over();
  EXPECT_EQ(over.term_reason(), 20);
  EXPECT_GT(over.usage().max_swap_kb(), 400'000);
}

TEST_F(ResSurroundings, MemoryLimitIsPerProcessWhereTheSiteSaysSo) {
  configure("LSB_JOB_MEMLIMIT=N");
  start_res();
  auto order = job("ulimit -v; sleep 0.1 & sleep 0.1 & wait");
  order.mutable_limits()->set_memory_kb(900'000);
  start(order);
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  EXPECT_THAT(text("out.1"), StartsWith("900000\n")) << "the nearest that the kernel has for a process";
}

}  // namespace
}  // namespace rollcall::res::test
