// RES, a shepherd, its guard or the host is killed at any time: no job runs twice, no end is lost, no process is left.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "common/io/durable_file.hpp"
#include "common/wire/res.pb.h"
#include "tests/io/res/res_stage.hpp"

namespace rollcall::res::test {
namespace {

using Over = wire::FromRes::JobOver;
using Held = wire::FromRes::Held;
using std::chrono::steady_clock;

constexpr auto kPromised = std::chrono::seconds(2);

class ResLost : public ResStage {
 protected:
  // A job with a child, and one that has fled its session.
  void start_family() {
    start(job("sleep 1000 & setsid sh -c 'echo $$ > fled; exec sleep 1000' & echo $! > child; wait; wait"));
    fled_ = std::stoi(wait_for_file("fled"));
    running_ = wait_for_running();
  }
  void expect_family_gone(steady_clock::time_point since) {
    wait_until_gone(running_.pid());
    wait_until_gone(fled_);
    EXPECT_LT(steady_clock::now() - since, kPromised);
  }
  pid_t fled_ = -1;
  wire::FromRes::JobRunning running_;
};

TEST_F(ResLost, AJobOutlivesResAndIsFoundAgain) {
  start_res();
  start(job("while [ ! -e go ]; do sleep 0.02; done; exit 8"));
  const auto before = wait_for_running();
  kill_res(SIGKILL);
  heard_.clear();
  start_res();
  ASSERT_EQ(hellos_.back().jobs_size(), 1);
  EXPECT_TRUE(hellos_.back().jobs(0).first_host());
  EXPECT_EQ(wait_for_running().pid(), before.pid());
  write("go", "");
  EXPECT_EQ(wait_for_over().exit_status(), 8 << 8);
}

TEST_F(ResLost, AnAdoptedJobTakesOrders) {
  start_res();
  start(job("trap 'echo usr1; exit 2' USR1; echo > ready; while :; do sleep 0.02; done"));
  wait_for_file("ready");
  kill_res(SIGKILL);
  start_res();
  wire::ToRes::SignalJob order;
  order.set_signal(SIGUSR1);
  signal(order);
  EXPECT_EQ(wait_for_over().exit_status(), 2 << 8);
}

// Its shepherd lives and cannot be dialled for a moment.
TEST_F(ResLost, AnOrderWaitsForAShepherdThatIsFoundAgain) {
  start_res();
  start(job("sleep 1000"));
  wait_for_running();
  kill_res(SIGKILL);
  const std::string door = job_directory() + "/s";
  ASSERT_EQ(rename(door.c_str(), (door + ".away").c_str()), 0);
  start_res();
  kill_job();
  start(job("true", 2));
  wait_for_over(2);
  ASSERT_EQ(rename((door + ".away").c_str(), door.c_str()), 0);
  EXPECT_EQ(wait_for_over().how(), Over::ENDED);
}

TEST_F(ResLost, EndOfAJobIsKeptWithoutRes) {
  start_res();
  start(job("while [ ! -e go ]; do sleep 0.02; done; exit 8"));
  wait_for_running();
  const pid_t guard = guard_of();
  ASSERT_GT(guard, 0);
  kill_res(SIGKILL);
  write("go", "");
  wait_until_gone(guard);
  heard_.clear();
  start_res();
  EXPECT_EQ(hellos_.back().jobs(0).state(), Held::OVER);
  EXPECT_EQ(wait_for_over().exit_status(), 8 << 8);
}

TEST_F(ResLost, AnEndIsToldUntilItIsAcknowledged) {
  start_res();
  start(job("exit 8"));
  wait_for_over();
  heard_.clear();
  restart_mbatchd();
  EXPECT_EQ(wait_for_over().exit_status(), 8 << 8);
  acknowledge();
  wait_until("the directory to go", [&] { return access(job_directory().c_str(), F_OK) != 0; });
  heard_.clear();
  restart_mbatchd();
  EXPECT_EQ(hellos_.back().jobs_size(), 0);
  EXPECT_EQ(count_over(1), 0U);
}

TEST_F(ResLost, AKilledShepherdTakesItsJobWithIt) {
  start_res();
  start_family();
  const pid_t shepherd = shepherd_of();
  ASSERT_GT(shepherd, 0);
  const auto since = steady_clock::now();
  kill(shepherd, SIGKILL);
  expect_family_gone(since);
  const auto over = wait_for_over();
  EXPECT_EQ(over.how(), Over::SHEPHERD_LOST);
  EXPECT_LT(steady_clock::now() - since, kPromised);
}

TEST_F(ResLost, JobThatMbatchdDoesNotKnowEndsWhateverItsControls) {
  start_res();
  auto order = job("sleep 1000");
  order.mutable_controls()->set_terminate("/bin/true");
  start(order);
  const auto pid = wait_for_running().pid();
  acknowledge();
  wait_until_gone(pid);
  wait_until("the directory to go", [&] { return access(job_directory().c_str(), F_OK) != 0; });
}

// As on a full disk: the end waits for its place, and is the true one.
TEST_F(ResLost, AnEndThatCannotBeKeptAtOnceIsNotLost) {
  start_res();
  start(job("while [ ! -e go ]; do sleep 0.02; done; exit 8"));
  wait_for_running();
  const pid_t shepherd = shepherd_of();
  const std::string place = job_directory() + "/end";
  ASSERT_EQ(mkdir(place.c_str(), 0700), 0);
  write("go", "");
  wait_until_gone(shepherd);
  EXPECT_EQ(count_over(1), 0U);
  ASSERT_EQ(rmdir(place.c_str()), 0);
  const auto over = wait_for_over();
  EXPECT_EQ(over.how(), Over::ENDED);
  EXPECT_EQ(over.exit_status(), 8 << 8);
}

// The shepherd is its user's process: a user who could stop it would escape limits and bkill.
TEST_F(ResLost, AStoppedShepherdGoesOnAndTakesOrders) {
  start_res();
  start(job("kill -STOP $LS_JOBPID; echo > stopped; sleep 1000"));
  wait_for_file("stopped");
  const auto pid = wait_for_running().pid();
  kill_job();
  wait_until_gone(pid);
  EXPECT_EQ(wait_for_over().how(), Over::ENDED);
}

TEST_F(ResLost, AKilledGuardTakesItsJobWithIt) {
  start_res();
  start_family();
  const pid_t guard = guard_of();
  ASSERT_GT(guard, 0);
  const auto since = steady_clock::now();
  kill(guard, SIGKILL);
  expect_family_gone(since);
  EXPECT_EQ(wait_for_over().how(), Over::SHEPHERD_LOST);
  EXPECT_LT(steady_clock::now() - since, kPromised);
}

TEST_F(ResLost, BothKilledAtOnceTakeTheJobWithThem) {
  start_res();
  start_family();
  const pid_t guard = guard_of(), shepherd = shepherd_of();
  const auto since = steady_clock::now();
  kill(guard, SIGSTOP);  // so that neither sees the other's end
  kill(shepherd, SIGKILL);
  kill(guard, SIGKILL);
  expect_family_gone(since);
  EXPECT_EQ(wait_for_over().how(), Over::SHEPHERD_LOST);
}

TEST_F(ResLost, AllKilledAtOnceLeaveNothingForTheNextRes) {
  start_res();
  start_family();
  const pid_t guard = guard_of(), shepherd = shepherd_of();
  kill_res(SIGKILL);
  kill(guard, SIGSTOP);
  kill(shepherd, SIGKILL);
  kill(guard, SIGKILL);
  heard_.clear();
  start_res();
  EXPECT_EQ(wait_for_over().how(), Over::SHEPHERD_LOST);
  EXPECT_FALSE(lives(fled_));
  EXPECT_FALSE(lives(running_.pid()));
}

TEST_F(ResLost, AKilledShepherdWithoutResIsToldLater) {
  start_res();
  start_family();
  const pid_t guard = guard_of(), shepherd = shepherd_of();
  kill_res(SIGKILL);
  kill(shepherd, SIGKILL);
  wait_until_gone(guard);
  heard_.clear();
  start_res();
  EXPECT_EQ(wait_for_over().how(), Over::SHEPHERD_LOST);
}

TEST_F(ResLost, AHostThatWentDownIsTold) {
  start_res();
  start(job("sleep 1000"));
  wait_for_running();
  const pid_t guard = guard_of();
  kill_res(SIGKILL);
  kill(guard, SIGKILL);
  wait_until_gone(wait_for_running().pid());
  // As it would be after a reboot: another boot, and no end.
  const std::string path = job_directory() + "/order";
  const auto whole = io::read_marked(AT_FDCWD, path, 1 << 20);
  wire::JobOrder order;
  ASSERT_TRUE(whole && order.ParseFromString(*whole));
  order.set_boot("another");
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  ASSERT_TRUE(io::write_marked(AT_FDCWD, path, order.SerializeAsString()));
  heard_.clear();
  start_res();
  EXPECT_EQ(wait_for_over().how(), Over::HOST_RESTARTED);
}

TEST_F(ResLost, AJobWhoseDirectoryTheHostLostIsTold) {
  start_res();
  start(job("exit 0"));
  wait_for_over();
  kill_res(SIGKILL);
  std::filesystem::remove_all(job_directory());
  heard_.clear();
  start_res();
  EXPECT_EQ(wait_for_over().how(), Over::HOST_RESTARTED);
  acknowledge();
  kill_res(SIGTERM);
  start_res();
  EXPECT_EQ(hellos_.back().jobs_size(), 0);
}

TEST_F(ResLost, AnOrderThatWasKeptAndNotBegunIsBegunOnce) {
  start_res();
  start(job("echo line >> runs"));
  wait_for_over();
  kill_res(SIGKILL);
  for (const char* name : {"/end", "/s"}) unlink((job_directory() + name).c_str());
  ASSERT_EQ(chmod((job_directory() + "/order").c_str(), 0600), 0);  // no guard has begun it
  unlink(path("runs").c_str());
  heard_.clear();
  start_res();
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  EXPECT_EQ(text("runs"), "line\n");
}

TEST_F(ResLost, AnOrderThatWasNotFinishedIsNone) {
  start_res();
  for (const char* half : {"", "\x0a\x7f half of it"}) {
    kill_res(SIGKILL);
    mkdir(job_directory().c_str(), 0711);
    std::ofstream(job_directory() + "/order") << half;
    start_res();
    EXPECT_EQ(hellos_.back().jobs_size(), 0);
    EXPECT_NE(access(job_directory().c_str(), F_OK), 0);
  }
}

TEST_F(ResLost, ThePostExecutionIsToldToANewRes) {
  start_res();
  auto order = job("exit 1");
  order.set_queue_post_exec("while [ ! -e " + path("go") + " ]; do sleep 0.02; done");
  start(order);
  EXPECT_TRUE(wait_for_over().post_follows());
  kill_res(SIGKILL);
  heard_.clear();
  start_res();
  EXPECT_EQ(wait_for_over().exit_status(), 1 << 8);
  write("go", "");
  wait_until("PostOver",
             [&] { return find([](const auto& told) { return told.has_post_over(); }) != nullptr; });
}

// Instants that a seed chooses, all along the life of many jobs.
TEST_F(ResLost, ResMayBeKilledAtAnyInstant) {
  start_res();
  unsigned seed = 20261121;
  constexpr int kJobs = 40;
  int next = 1;
  while (next <= kJobs) {
    for (int i = 0; i < 4 && next <= kJobs; ++i, ++next)
      start(job("echo line >> runs." + std::to_string(next) + "; exit " + std::to_string(next), next));
    seed = seed * 1103515245 + 12345;
    loop_.restart();
    loop_.run_for(std::chrono::microseconds(seed >> 16 & 0x3fff));
    kill_res(SIGKILL);
    start_res();
    // mbatchd sends again what the host does not hold.
    for (int id = 1; id < next; ++id) {
      bool held = count_over(id) > 0;
      for (const auto& each : hellos_.back().jobs()) held = held || each.job().key().id() == id;
      if (!held) start(job("echo line >> runs." + std::to_string(id) + "; exit " + std::to_string(id), id));
    }
  }
  for (int id = 1; id <= kJobs; ++id) {
    EXPECT_EQ(wait_for_over(id).exit_status(), id << 8) << id;
    EXPECT_EQ(text("runs." + std::to_string(id)), "line\n") << id;
  }
}

}  // namespace
}  // namespace rollcall::res::test
