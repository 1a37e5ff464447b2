// What runs before and after a job, with real processes: its time, its limits, its end.
#include <signal.h>

#include "tests/io/res/res_stage.hpp"

namespace rollcall::res::test {
namespace {

using testing::HasSubstr;
using Over = wire::FromRes::JobOver;

class ResHooks : public ResStage {
 protected:
  const wire::FromRes::PostOver* post() const {
    const auto* told = find([](const auto& one) { return one.has_post_over(); });
    return told == nullptr ? nullptr : &told->post_over();
  }
  void wait_for_post() {
    wait_until("PostOver", [&] { return post() != nullptr; });
  }
};

TEST_F(ResHooks, APreExecutionThatHangsEndsAtItsTime) {
  settings_.set_pre_exec_seconds(1);
  start_res();
  auto order = job("touch ran");
  order.set_queue_pre_exec("trap '' INT TERM; echo $$ > " + path("pre") + "; while :; do sleep 1; done");
  order.mutable_submission()->set_pre_exec("touch " + path("second"));
  start(order);
  const pid_t hook = std::stoi(wait_for_file("pre"));
  const auto over = wait_for_over();
  EXPECT_EQ(over.how(), Over::PRE_EXEC_FAILED);
  EXPECT_EQ(over.exit_status(), 98 << 8);
  EXPECT_THAT(over.why(), HasSubstr("JOB_PREPROC_TIMEOUT"));
  EXPECT_FALSE(lives(hook));
  EXPECT_NE(access(path("ran").c_str(), F_OK), 0);
  EXPECT_NE(access(path("second").c_str(), F_OK), 0);
}

TEST_F(ResHooks, APostExecutionThatHangsEndsAtItsTime) {
  settings_.set_post_exec_seconds(1);
  start_res();
  auto order = job("exit 5");
  order.mutable_submission()->set_post_exec("setsid sh -c 'echo $$ > " + path("post") +
                                            "; exec sleep 1000'; sleep 1000");
  order.set_queue_post_exec("touch " + path("second"));
  start(order);
  EXPECT_EQ(wait_for_over().exit_status(), 5 << 8);
  const pid_t hook = std::stoi(wait_for_file("post"));
  wait_for_post();
  EXPECT_TRUE(post()->failed());
  wait_until_gone(hook);
  EXPECT_NE(access(path("second").c_str(), F_OK), 0) << "the job does not follow";
  acknowledge();
  acknowledge();
  wait_until("the directory to go", [&] { return access(job_directory().c_str(), F_OK) != 0; });
}

TEST_F(ResHooks, WithoutATimeLimitAKillEndsIt) {
  start_res();
  auto order = job("true");
  order.mutable_submission()->set_post_exec("echo $$ > " + path("post") + "; exec sleep 1000");
  start(order);
  wait_for_over();
  acknowledge();
  const pid_t hook = std::stoi(wait_for_file("post"));
  wire::ToRes::SignalJob kill;
  kill.set_signal(SIGKILL);
  signal(kill);
  wait_for_post();
  EXPECT_TRUE(post()->failed());
  wait_until_gone(hook);
}

TEST_F(ResHooks, HaveTheJobsLimits) {
  start_res();
  auto order = job("true");
  order.mutable_limits()->set_core_kb(0);
  order.mutable_limits()->set_file_kb(2048);
  order.mutable_limits()->set_stack_kb(4096);
  order.set_queue_pre_exec("(ulimit -c; ulimit -f; ulimit -s) > " + path("pre"));
  order.set_queue_post_exec("(ulimit -c; ulimit -f; ulimit -s) > " + path("post"));
  start(order);
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  wait_for_post();
  EXPECT_EQ(text("pre"), "0\n4096\n4096\n");  // -f counts blocks of 512 bytes
  EXPECT_EQ(text("post"), "0\n4096\n4096\n");
}

// JOB_CONTROLS: what stops, continues and ends the job is the site's, and knows which processes it is about.
TEST_F(ResHooks, ASitesControlsKnowTheJobsProcesses) {
  start_res();
  auto order = job("trap 'exit 4' USR2; sleep 1000 & echo $! > child; while :; do sleep 0.05; done");
  const auto says = [&](const std::string& word) {
    return "echo " + word + " $LSB_JOBPIDS : $LSB_JOBPGIDS : $LSB_SUSP_REASONS > " + path(word);
  };
  order.mutable_controls()->set_suspend(says("suspend"));
  order.mutable_controls()->set_resume(says("resume"));
  order.mutable_controls()->set_terminate("kill -USR2 $(head -n 1 " + path("job") + "); " +
                                          says("terminate"));
  start(order);
  const auto running = wait_for_running();
  const std::string child = std::to_string(std::stoi(wait_for_file("child")));
  write("job", std::to_string(running.pid()) + "\n");
  wire::ToRes::SignalJob control;
  control.set_suspend_reasons(5);
  for (const auto& [action, word] : {std::pair(wire::ToRes::SignalJob::SUSPEND, "suspend"),
                                     std::pair(wire::ToRes::SignalJob::RESUME, "resume"),
                                     std::pair(wire::ToRes::SignalJob::TERMINATE, "terminate")}) {
    control.set_action(action);
    signal(control);
    const std::string said = wait_for_file(word);
    EXPECT_THAT(said, testing::StartsWith(std::string(word) + " " + std::to_string(running.pid()) + " "));
    EXPECT_THAT(said, HasSubstr(" " + child + " ")) << "its child too";
    EXPECT_THAT(said, HasSubstr(": " + std::to_string(running.pgid()))) << "its process group";
    EXPECT_THAT(said, testing::EndsWith(action == wire::ToRes::SignalJob::SUSPEND ? ": 5\n" : ":\n"));
  }
  EXPECT_EQ(wait_for_over().exit_status(), 4 << 8);
}

TEST_F(ResHooks, PreExecutionOverAJobsLimitIsEnded) {
  start_res();
  auto order = job("touch ran");
  order.mutable_limits()->set_processes(3);
  order.set_queue_pre_exec("for i in 1 2 3 4 5 6; do sleep 1000 & done; wait");
  start(order);
  const auto over = wait_for_over();
  EXPECT_EQ(over.term_reason(), 7);
  EXPECT_NE(access(path("ran").c_str(), F_OK), 0);
}

TEST_F(ResHooks, PostExecutionOverAJobsLimitIsEnded) {
  start_res();
  auto order = job("true");
  order.mutable_limits()->set_processes(3);
  order.set_queue_post_exec("for i in 1 2 3 4 5 6; do sleep 1000 & done; wait");
  start(order);
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  wait_for_post();
  EXPECT_TRUE(post()->failed());
}

}  // namespace
}  // namespace rollcall::res::test
