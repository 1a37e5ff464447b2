// One allocation of mbatchd fails, at any point of a change: mbatchd restarts from its store, or ends the one connection, and
// answers the next client. tests/programs/mbatchd_without_memory.cpp fails the allocation.
#include <filesystem>
#include <fstream>

#include "tests/io/sched/mbatchd_stage.hpp"

namespace rollcall::mbatchd::test {
namespace {

using testing::HasSubstr;

constexpr std::size_t kText = 54'321;  // bytes of the description

class MbatchdNoMemory : public Stage {
 protected:
  MbatchdNoMemory() { setenv("ROLLCALL_TEST_NO_MEMORY", control_.c_str(), 1); }
  ~MbatchdNoMemory() override { unsetenv("ROLLCALL_TEST_NO_MEMORY"); }

  void fail_allocation(int number) const { std::ofstream(control_) << number << '\n'; }
  bool failed() const { return !std::filesystem::exists(control_); }

  // All jobs; mbatchd may be on its way to begin anew.
  wire::BatchReply jobs() const {
    wire::BatchRequest all;
    all.mutable_jobs()->mutable_filter()->set_user("all");
    all.mutable_jobs()->set_submissions(true);
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < until) {
      wire::ToMbatchd message;
      *message.mutable_request() = all;
      const auto talk = client();
      if (!talk->open()) continue;
      talk->say(message);
      wire::BatchReply reply;
      while (const auto heard = talk->hear()) {
        reply.MergeFrom(heard->reply());
        if (heard->reply().last()) return reply;
      }
    }
    ADD_FAILURE() << "waited in vain for mbatchd to answer\n" << log();
    return {};
  }

 private:
  std::string control_ = directory_ + "/no_memory";
};

TEST_F(MbatchdNoMemory, SubmissionThatFindsNoMemoryLeavesMbatchdWithWhatItHasStored) {
  expect_started();
  auto request = submit_request();
  request.mutable_submit()->mutable_jobs(0)->set_description(std::string(kText, 'd'));
  int accepted = 0, begun_anew = 0, number = 0;
  for (;; ++number) {
    ASSERT_LT(number, 200);
    fail_allocation(number);
    const auto before = log().size();
    wire::ToMbatchd message;
    *message.mutable_request() = request;
    const auto talk = client();
    ASSERT_TRUE(talk->open()) << log();
    talk->say(message);
    const auto heard = talk->hear();
    for (int i = 0; heard && i < heard->reply().submitted().jobs_size(); ++i)
      if (!heard->reply().submitted().jobs(i).has_refusal()) ++accepted;
    const bool last = !failed();
    if (last) std::filesystem::remove(directory_ + "/no_memory");
    const auto reply = jobs();
    if (log().substr(before).find("mbatchd cannot have the memory") != std::string::npos) ++begun_anew;
    // A job that was committed, and not answered, is there as well.
    ASSERT_GE(reply.jobs().jobs_size(), accepted) << "allocation " << number << '\n' << log();
    accepted = reply.jobs().jobs_size();
    for (const auto& [submission, asked] : reply.jobs().submissions())
      ASSERT_EQ(asked.description().size(), kText) << "allocation " << number;
    if (last) break;
  }
  EXPECT_GT(number, 5) << "mbatchd allocates for the text";
  EXPECT_GT(begun_anew, 0) << log();
  EXPECT_GT(accepted, 0);
  EXPECT_EQ(stop(), 0);
  expect_started();
  EXPECT_EQ(jobs().jobs().jobs_size(), accepted) << "the store has what mbatchd showed";
}

}  // namespace
}  // namespace rollcall::mbatchd::test
