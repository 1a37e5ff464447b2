// Tasks in a job, on its first host and on another one, and tasks of no job.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/io/durable_file.hpp"
#include "common/io/spawn.hpp"
#include "tests/io/res/res_stream_stage.hpp"

namespace rollcall::res::test {
namespace {

class ResTasks : public ResStream {};

TEST_F(ResTasks, TasksRunInTheirJobAndEndWithIt) {
  start_res();
  start(job("exec sleep 1000"));
  wait_for_running();
  const auto place = run_task(task("echo $MINE $LSF_PM_TASKID; echo $$ > task; exec sleep 1000"));
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_for_output(client, "yes");
  const pid_t pid = std::stoi(wait_for_file("task"));
  EXPECT_EQ(pid, client.pid);
  wait_until("usage of both", [&] {
    return find([](const auto& told) { return told.has_usage() && told.usage().usage().processes() == 2; }) !=
           nullptr;
  });
  kill_job();
  wait_for_over();
  EXPECT_FALSE(lives(pid));
}

TEST_F(ResTasks, ATaskTellsHowItEnded) {
  start_res();
  start(job("exec sleep 1000"));
  wait_for_running();
  const auto place = run_task(task("kill -9 $$"));
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_for_end(client);
  ASSERT_TRUE(client.over);
  EXPECT_EQ(client.over->wait_status(), SIGKILL);
  EXPECT_EQ(count_over(1), 0U);  // the job goes on
}

TEST_F(ResTasks, ATaskThatCannotBeStartedSaysWhy) {
  start_res();
  start(job("exec sleep 1000"));
  wait_for_running();
  auto asked = task("/no/such/program");
  asked.set_shell(false);
  const auto place = run_task(asked);
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_for_end(client);
  ASSERT_TRUE(client.not_started);
  EXPECT_EQ(client.not_started->exit_code(), 127);
}

TEST_F(ResTasks, ATaskEndsWithItsClient) {
  start_res();
  start(job("exec sleep 1000"));
  wait_for_running();
  const auto place =
      run_task(task("trap '' HUP TERM; setsid sleep 1000 & echo $! > below; wait; sleep 1000"));
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_until("the task to start", [&] {
    client.turn();
    return client.pid > 0;
  });
  const pid_t below = std::stoi(wait_for_file("below"));
  client.hang_up();
  wait_until_gone(client.pid);
  wait_until_gone(below);
}

TEST_F(ResTasks, TheTasksOfAnotherHostsJob) {
  start_res();
  wire::ToRes order;
  auto& expect = *order.mutable_expect();
  *expect.mutable_job() = job("").job();
  expect.set_user(job("").submission().user());
  expect.set_uid(geteuid());
  expect.add_hosts()->set_name("elsewhere");
  expect.mutable_hosts(0)->set_slots(3);
  send(order);
  const auto place = run_task(task("cat $LSB_DJOB_HOSTFILE; sleep 1000 & echo $! > left; exit 3"));
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_for_end(client);
  EXPECT_EQ(client.output, "elsewhere\nelsewhere\nelsewhere\n");
  const pid_t left = std::stoi(wait_for_file("left"));
  EXPECT_TRUE(lives(left));
  wire::ToRes release;
  *release.mutable_release()->mutable_job() = expect.job();
  send(release);
  wait_until_gone(left);
  wait_until("the directory to go", [&] { return access(job_directory().c_str(), F_OK) != 0; });
  EXPECT_EQ(count_over(1), 0U);
}

// bkill, or the end of a blaunch elsewhere, may come between RES's answer and the client's call.
TEST_F(ResTasks, ClientsThatNeverCameAreNotWaitedForWhenTheirJobIsOver) {
  start_res();
  start(job("exec sleep 1000"));
  wait_for_running();
  ASSERT_TRUE(run_task(task("true")));
  const pid_t guard = guard_of();
  ASSERT_GT(guard, 0);
  kill_job();
  wait_for_over();
  wait_until_gone(guard);
}

TEST_F(ResTasks, ClientsThatNeverCameAreNotWaitedForOnOtherHosts) {
  start_res();
  wire::ToRes order;
  *order.mutable_expect()->mutable_job() = job("").job();
  order.mutable_expect()->set_user(job("").submission().user());
  order.mutable_expect()->set_uid(geteuid());
  order.mutable_expect()->add_hosts()->set_name("elsewhere");
  send(order);
  ASSERT_TRUE(run_task(task("true")));
  const pid_t guard = guard_of();
  ASSERT_GT(guard, 0);
  wire::ToRes release;
  *release.mutable_release()->mutable_job() = job("").job();
  send(release);
  wait_until_gone(guard);
  wait_until("the directory to go", [&] { return access(job_directory().c_str(), F_OK) != 0; });
}

TEST_F(ResTasks, ClientThatDoesNotBeginIsNotWaitedForWhenItsJobIsOver) {
  start_res();
  start(job("exec sleep 1000"));
  wait_for_running();
  const auto place = run_task(task("true"));
  ASSERT_TRUE(place) << place.error().text;
  const pid_t guard = guard_of();
  ASSERT_GT(guard, 0);
  Client client(place->port(), place->key());
  wait_until("its key to be proved", [&] { return client.turn(), client.open(); });
  kill_job();
  wait_for_over();
  wait_until_gone(guard);
}

TEST_F(ResTasks, WhatAnotherHostsTaskUsedIsToldAtItsEnd) {
  start_res();
  wire::ToRes seldom;
  seldom.mutable_welcome()->set_usage_interval_ms(600'000);
  send(seldom);
  wire::ToRes order;
  *order.mutable_expect()->mutable_job() = job("").job();
  order.mutable_expect()->set_user(job("").submission().user());
  order.mutable_expect()->set_uid(geteuid());
  order.mutable_expect()->add_hosts()->set_name("elsewhere");
  send(order);
  const auto place = run_task(task("i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done"));
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_for_end(client);
  const auto told = [&] {
    return std::find_if(heard_.begin(), heard_.end(), [](const wire::FromRes& message) {
             return message.has_usage() && message.usage().usage().user_s() > 0.05;
           }) != heard_.end();
  };
  wait_until("the usage of a task that has ended", told);
  // An mbatchd that connects again is told it too.
  heard_.clear();
  restart_mbatchd();
  wait_until("the usage again", told);
  wire::ToRes release;
  *release.mutable_release()->mutable_job() = job("").job();
  send(release);
  wait_until("the directory to go", [&] { return access(job_directory().c_str(), F_OK) != 0; });
}

TEST_F(ResTasks, ATmpdirOnEveryHostOfTheJob) {
  ASSERT_EQ(mkdir(path("tmp").c_str(), 0777), 0);
  configure("LSB_SET_TMPDIR=Y");
  configure("LSF_TMPDIR=" + path("tmp"));
  start_res();
  wire::ToRes order;
  *order.mutable_expect()->mutable_job() = job("").job();
  order.mutable_expect()->set_user(job("").submission().user());
  order.mutable_expect()->set_uid(geteuid());
  order.mutable_expect()->add_hosts()->set_name("elsewhere");
  send(order);
  auto asked = task("echo $TMPDIR; stat -c %a $TMPDIR; touch $TMPDIR/file");
  asked.add_environment("TMPDIR=/of/the/first/host/1.tmpdir");
  const auto place = run_task(asked);
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_for_end(client);
  EXPECT_EQ(client.output, path("tmp/1.tmpdir") + "\n700\n") << client.errors;
  wire::ToRes release;
  *release.mutable_release()->mutable_job() = order.expect().job();
  send(release);
  wait_until("it to go", [&] { return access(path("tmp/1.tmpdir").c_str(), F_OK) != 0; });
}

TEST_F(ResTasks, RunsATaskOfNoJob) {
  start_res();
  const auto place = run_task(task("id -u; pwd", false));
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_for_end(client);
  EXPECT_EQ(client.output, std::to_string(geteuid()) + "\n" + directory_ + "\n");
}

TEST_F(ResTasks, AnUnknownJobHasNoTasks) {
  start_res();
  const auto place = run_task(task("true"));
  ASSERT_FALSE(place);
  EXPECT_TRUE(place.error().no_job) << place.error().text;
}

// The same process goes on: its number is in the names of what the one before has left.
TEST_F(ResTasks, TasksOfNoJobAfterResHasStartedAgain) {
  start_res();
  const auto first = run_task(task("exec sleep 1000", false));
  ASSERT_TRUE(first) << first.error().text;
  Client lasting(first->port(), first->key());
  lasting.begin(false);
  wait_until("the task", [&] { return lasting.turn(), lasting.pid > 0; });
  wire::ControlRes control;
  control.set_action(wire::ControlRes::RESTART);
  const auto restarted = ask([&](const io::ResClient& res) { return res.control(host_, control); });
  ASSERT_TRUE(restarted) << restarted.error().text;
  wait_for_hello(2);
  const auto second = run_task(task("true", false));
  EXPECT_TRUE(second) << second.error().text;
}

// RES is killed between the shepherd's start and its order: this shepherd never gets an order.
TEST_F(ResTasks, AShepherdThatIsAskedForNoTaskEndsWithItsRes) {
  ASSERT_EQ(mkdir(path("task").c_str(), 0711), 0);
  wire::JobOrder order;
  order.set_task_only(true);
  order.set_uid(geteuid());
  order.set_gid(getegid());
  order.set_host(host_);
  const io::Descriptor directory(open(path("task").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_TRUE(io::write_marked(directory.get(), "order", order.SerializeAsString()));
  ASSERT_EQ(chmod(path("task/order").c_str(), 0600), 0);
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  io::Descriptor res(ends[0]), theirs(ends[1]);
  io::SpawnPlan plan;
  sigemptyset(&plan.mask);
  plan.argv = {ROLLCALL_SHEPHERD, "task"};
  plan.directory = path("task");
  plan.descriptors = {{directory.get(), 3}, {theirs.get(), 4}};
  const auto started = io::spawn(plan);
  theirs.reset();
  ASSERT_TRUE(std::holds_alternative<pid_t>(started));
  const pid_t guard = std::get<pid_t>(started);
  wait_until("a shepherd", [&] { return access(path("task/s").c_str(), F_OK) == 0; });
  EXPECT_TRUE(lives(guard));
  res.reset();
  wait_until_gone(guard);
  kill(guard, SIGKILL);
  waitpid(guard, nullptr, 0);
}

}  // namespace
}  // namespace rollcall::res::test
