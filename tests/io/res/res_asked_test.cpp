// What RES answers to clients that start nothing: the output of a job, its own status, its end.
#include <signal.h>
#include <sys/wait.h>

#include <fstream>

#include "tests/io/res/res_stream_stage.hpp"

namespace rollcall::res::test {
namespace {

using testing::HasSubstr;

std::int64_t resident_kb(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;)
    if (std::int64_t kb = 0; word == "VmRSS:" && status >> kb) return kb;
  return 0;
}

class ResAsked : public ResStream {};

TEST_F(ResAsked, OutputIsReadWhileTheJobRuns) {
  start_res();
  write("out.1", "older\n");
  start(job("echo first; echo > said; while [ ! -e go ]; do sleep 0.02; done; echo second"));
  wait_for_file("said");
  wire::Peek peek;
  peek.mutable_job()->mutable_key()->set_id(1);
  std::string seen;
  const auto read = ask([&](const io::ResClient& res) {
    return res.peek(host_, peek, [&](const std::string& part) {
      seen += part;
      return true;
    });
  });
  EXPECT_TRUE(read) << read.error().text;
  EXPECT_EQ(seen, "first\n");
  write("go", "");
  wait_for_over();
}

constexpr std::int64_t kMostOfAPeek_kb = 64 << 10;

// What a client has not read yet waits on the disk, not in the memory of res.
TEST_F(ResAsked, ALargeOutputIsNotKeptForASlowReader) {
  start_res();
  start(job("truncate -s 160M out.1; echo > said; sleep 1000"));
  wait_for_file("said");
  wire::Peek peek;
  peek.mutable_job()->mutable_key()->set_id(1);
  const std::int64_t before_kb = resident_kb(res_);  // a sanitizer has more than that
  std::int64_t seen = 0, most_kb = 0;
  const auto read = ask([&](const io::ResClient& res) {
    return res.peek(host_, peek, [&](const std::string& part) {
      seen += static_cast<std::int64_t>(part.size());
      for (int i = 0; i < 5; ++i) most_kb = std::max(most_kb, resident_kb(res_));
      return true;
    });
  });
  EXPECT_TRUE(read) << read.error().text;
  EXPECT_EQ(seen, 160LL << 20) << "more than twice what may be kept";
  EXPECT_GT(before_kb, 0);
  EXPECT_LT(most_kb - before_kb, kMostOfAPeek_kb);
}

TEST_F(ResAsked, TellsItsStatusAndEndsWhenAsked) {
  start_res();
  wire::ControlRes control;
  const auto status = ask([&](const io::ResClient& res) { return res.control(host_, control); });
  ASSERT_TRUE(status) << status.error().text;
  EXPECT_THAT(*status, HasSubstr("0 jobs"));
  control.set_action(wire::ControlRes::SHUTDOWN);
  const auto ended = ask([&](const io::ResClient& res) { return res.control(host_, control); });
  ASSERT_TRUE(ended) << ended.error().text;
  int status_word = -1;
  EXPECT_EQ(waitpid(res_, &status_word, 0), res_);
  EXPECT_EQ(status_word, 0);
  res_ = -1;
}

// An mbatchd that is told of the job would wait for its end for ever.
TEST_F(ResAsked, ForgettingResObeysAReturningMbatchdOnlyWhenItsLastJobHasEnded) {
  start_res();
  start(job("exec sleep 1000"));
  wait_for_running();
  const pid_t guard = guard_of(), shepherd = shepherd_of();
  ASSERT_EQ(kill(guard, SIGSTOP), 0);
  ASSERT_EQ(kill(shepherd, SIGSTOP), 0);
  refuses_ = true;
  restart_mbatchd();
  wire::ControlRes control;
  control.set_action(wire::ControlRes::FORGET);
  control.set_text("yes");
  const auto asked = ask([&](const io::ResClient& res) { return res.control(host_, control); });
  ASSERT_TRUE(asked) << asked.error().text;
  EXPECT_THAT(*asked, HasSubstr("ends its jobs and forgets them"));
  const auto before = hellos_.size();
  refuses_ = false;  // mbatchd is back, and takes this host
  // RES ends a job whose shepherd does not take the order to kill; the guard may go on then.
  wait_until("a hello, or the end of the shepherd",
             [&] { return hellos_.size() > before || !lives(shepherd); });
  EXPECT_EQ(hellos_.size(), before) << "RES has dialled while a job is being forgotten";
  kill(guard, SIGCONT);
  kill(shepherd, SIGCONT);
  wait_until("a hello after the job", [&] { return hellos_.size() > before; });
  EXPECT_EQ(hellos_.back().jobs_size(), 0);
  EXPECT_EQ(hellos_.back().term(), 0U);
  EXPECT_EQ(count_over(1), 0U);
  start(job("true", 2));
  wait_for_over(2);
}

TEST_F(ResAsked, AnMbatchdThatDoesNotTakeThisHostIsToldOfOnceAndTriedAgainWithNewFiles) {
  refuses_ = true;
  start_res();
  wait_until("further hellos", [&] { return hellos_.size() >= 4; });
  refuses_ = false;
  const auto before = hellos_.size();
  kill(res_, SIGHUP);
  wait_until("a hello with new files", [&] { return hellos_.size() > before; });
  start(job("true"));
  wait_for_over();
  const std::string log = text("log"), told = "does not take this host (its log says why)";
  const auto first = log.find(told);
  ASSERT_NE(first, log.npos);
  EXPECT_EQ(log.find(told, first + 1), log.npos);
  EXPECT_EQ(log.find("the connection with mbatchd"), log.npos);
}

}  // namespace
}  // namespace rollcall::res::test
