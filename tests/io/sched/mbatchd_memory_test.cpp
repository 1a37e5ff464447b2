// The memory of mbatchd: scripts and environments are in its store, and where memory cannot be had jobs are refused and mbatchd
// lives.
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "tests/io/common/sanitized.hpp"
#include "tests/io/sched/mbatchd_stage.hpp"

namespace rollcall::mbatchd::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::size_t kMb = 1 << 20;

class MbatchdMemory : public Stage {
 protected:
  // The only child of this thread.
  static pid_t daemon() {
    pid_t child = -1;
    std::ifstream("/proc/thread-self/children") >> child;
    return child;
  }
  struct Size {
    std::size_t virtual_bytes = 0, resident = 0;
  };
  static Size size() {
    std::size_t all = 0, resident = 0;
    std::ifstream("/proc/" + std::to_string(daemon()) + "/statm") >> all >> resident;
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return {all * page, resident * page};
  }
  // Of this process, resident, ever.
  static std::size_t peak() {
    std::ifstream status("/proc/" + std::to_string(daemon()) + "/status");
    std::string word;
    std::size_t kb = 0;
    while (status >> word)
      if (word == "VmHWM:") status >> kb;
    return kb * 1024;
  }
  // As bsub sends what is too large for one message.
  static wire::BatchReply ask_in_parts(Talk& talk, const wire::BatchRequest& request) {
    const std::string bytes = request.SerializeAsString();
    constexpr std::size_t kPart = 50'000;
    for (std::size_t at = 0; at < bytes.size(); at += kPart) {
      wire::ToMbatchd message;
      if (at + kPart < bytes.size())
        message.set_part(bytes.substr(at, kPart));
      else
        message.set_last_part(bytes.substr(at, kPart));
      talk.say(message);
    }
    wire::BatchReply reply;
    const auto heard = talk.hear();
    EXPECT_TRUE(heard) << "waited in vain for an answer";
    if (heard) reply = heard->reply();
    return reply;
  }
  static int id_of(const wire::BatchReply& reply) {
    return reply.submitted().jobs_size() == 1 ? reply.submitted().jobs(0).id() : 0;
  }
  static wire::BatchRequest with_script(std::size_t bytes) {
    auto request = submit_request();
    request.mutable_submit()->mutable_jobs(0)->set_script("#!/bin/sh\n#" + std::string(bytes, 'x') +
                                                          "\ntrue\n");
    return request;
  }
};

TEST_F(MbatchdMemory, ScriptsAreInTheStoreAndReachTheHost) {
  expect_started();
  ASSERT_GT(submit(), 0) << log();
  const auto before = size().resident;
  ASSERT_GT(before, 0U);
  constexpr int kJobs = 99;  // a turn starts them all, and a link holds 64 MB: orders wait for room
  const auto request = with_script(800'000);
  const auto talk = client();
  int last = 0;
  for (int i = 0; i < kJobs; ++i) last = id_of(ask_in_parts(*talk, request));
  ASSERT_GT(last, kJobs) << log();
  EXPECT_LT(size().resident, before + 24 * kMb) << "the scripts have 79 MB";
  // Of a new mbatchd as well, which has them from its store alone.
  kill_hard();
  expect_started();
  EXPECT_LT(size().resident, before + 24 * kMb);
  const auto host = res(host_);
  host->runs_at_once = false;
  host->serve(kPatience, [&] { return host->attempts().size() > std::size_t{kJobs}; });
  ASSERT_EQ(host->attempts().size(), std::size_t{kJobs} + 1) << log();
  if (!rollcall::test::kSanitized) {
    EXPECT_LT(peak(), before + 48 * kMb) << "orders that wait for room are not in memory";
  }
  for (const auto& [key, attempt] : host->attempts()) {
    if (key.first.first == 1) continue;
    EXPECT_EQ(attempt.order.submission().script(), request.submit().jobs(0).script());
    EXPECT_EQ(attempt.order.submission().environment(0), "HOME=/");
  }
}

TEST_F(MbatchdMemory, JobsAreRefusedWhereMemoryCannotBeHad) {
  if (rollcall::test::kSanitized)
    GTEST_SKIP() << "a sanitizer's own mappings exceed every address-space limit";
  expect_started();
  const int first = submit();
  ASSERT_GT(first, 0) << log();
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = size().virtual_bytes + 64 * kMb;
  ASSERT_EQ(prlimit(daemon(), RLIMIT_AS, &limit, nullptr), 0);
  // What bjobs shows stays in memory.
  auto large = submit_request();
  auto& job = *large.mutable_submit()->mutable_jobs(0);
  const std::string word(60'000, 'x');
  for (auto* text : {job.mutable_command(), job.mutable_cwd(), job.mutable_home(), job.mutable_mail_user(),
                     job.mutable_pre_exec(), job.mutable_post_exec(), job.mutable_description()})
    *text = word;
  const auto talk = client();
  wire::BatchReply reply;
  int accepted = 0;
  for (; accepted < 300; ++accepted) {
    reply = ask_in_parts(*talk, large);
    if (id_of(reply) == 0) break;
  }
  ASSERT_LT(accepted, 300) << "the limit was not met";
  EXPECT_GT(accepted, 10);
  EXPECT_THAT(reply.refusal().text(), StartsWith("mbatchd cannot have the memory that more jobs need"))
      << log();
  // bjobs and bkill go on.
  for (int round = 0; round < 5; ++round) {
    EXPECT_NE(status(first), wire::STATUS_NULL) << log();
    EXPECT_TRUE(ask_in_parts(*talk, large).has_refusal());
  }
  wire::BatchRequest kill_it;
  kill_it.mutable_signal()->mutable_filter()->add_keys()->set_id(first + 1);
  kill_it.mutable_signal()->set_action(wire::SignalJobs::KILL);
  const auto killed = ask(*talk, kill_it);
  ASSERT_EQ(killed.outcomes().outcomes_size(), 1) << killed.refusal().text() << log();
  EXPECT_FALSE(killed.outcomes().outcomes(0).failed()) << killed.outcomes().outcomes(0).text();
  EXPECT_EQ(status(first + 1), wire::STATUS_EXIT);
  EXPECT_EQ(stop(), 0) << "mbatchd lived";
  expect_started();
  EXPECT_EQ(status(first + 1), wire::STATUS_EXIT);
  EXPECT_EQ(status(first + accepted), wire::STATUS_PEND) << "every accepted job is there";
}

TEST_F(MbatchdMemory, UserHasAShareOfTheStore) {
  write("lsbatch/test/configdir/lsb.params",
        "Begin Parameters\nDEFAULT_QUEUE = normal\nMAX_USER_JOB_STORAGE = 2\nEnd Parameters\n");
  expect_started();
  const auto request = with_script(800'000);
  const auto talk = client();
  for (int i = 0; i < 2; ++i) EXPECT_GT(id_of(ask_in_parts(*talk, request)), 0);
  const auto reply = ask_in_parts(*talk, request);
  ASSERT_EQ(reply.submitted().jobs_size(), 1) << log();
  EXPECT_THAT(reply.submitted().jobs(0).refusal().text(), HasSubstr("(MAX_USER_JOB_STORAGE)"));
  EXPECT_GT(submit(), 0) << "a small one fits";
}

}  // namespace
}  // namespace rollcall::mbatchd::test
