// bmod of a job that runs: its host enforces what it can, and is told again when it comes back; the rest is refused.
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

using L = wire::Limits;
using S = wire::Submission;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class BookLimits : public BookTest {
 protected:
  // The line that bmod prints; `orders_said`: what hosts are told.
  std::string bmod(std::int32_t id, std::int32_t field, const wire::Submission& changed) {
    wire::ModifyJobs request;
    request.mutable_filter()->add_keys()->set_id(id);
    *request.mutable_changed() = changed;
    request.add_fields(field);
    request.set_text("changed");
    const auto applied = book->commands().modify_jobs(request, kAnn, now);
    orders_said = orders(applied.effects);
    signals.clear();
    for (const auto& effect : applied.effects)
      if (const auto* order = std::get_if<effect::OrderSignal>(&effect))
        signals.push_back(order->signal.sent);
    return applied.reply.outcomes().outcomes(0).text();
  }
  std::int32_t running_job() {
    const auto id = submitted(plain_job()).id();
    book->hosts().dispatch({id, 0}, on_hosts({"hostA", "hostB"}), now);
    return id;
  }

  std::vector<std::string> orders_said;
  std::vector<wire::SentSignal> signals;
};

TEST_F(BookLimits, EveryHostOfARunningJobIsTold) {
  const auto id = running_job();
  wire::Submission changed;
  changed.mutable_limits()->set_memory_kb(4000);
  EXPECT_EQ(bmod(id, 1000 + L::kMemoryKbFieldNumber, changed),
            "Parameters of job <" + std::to_string(id) + "> are being changed");
  ASSERT_EQ(signals.size(), 2u);
  EXPECT_EQ(signals[0].action(), wire::SentSignal::LIMITS);
  EXPECT_THAT(orders_said, ElementsAre(HasSubstr("OrderSignal LIMITS number 1 "),
                                       HasSubstr("OrderSignal LIMITS number 1 ")));
  EXPECT_EQ(signals[0].limits().memory_kb(), 4000);
  EXPECT_EQ(signals[0].limits().run_s(), 600);  // the queue's default stays
  EXPECT_GT(signals[0].number(), 0u);
  EXPECT_EQ(book->jobs().effective_limits(*book->jobs().find({id, 0})).memory_kb(), 4000);
}

TEST_F(BookLimits, AHostThatWasAwayHearsTheLastOnes) {
  const auto id = running_job();
  wire::Submission changed;
  for (const int minutes : {20, 30}) {
    changed.mutable_limits()->set_run_s(minutes * 60);
    bmod(id, 1000 + L::kRunSFieldNumber, changed);
  }
  hello("hostA", {{{{id, 0}, 1}, report::Held::State::running, true}});
  std::vector<std::int64_t> told;
  for (const auto& effect : effects)
    if (const auto* order = std::get_if<effect::OrderSignal>(&effect))
      told.push_back(order->signal.sent.limits().run_s());
  EXPECT_THAT(told, ElementsAre(1800));
}

TEST_F(BookLimits, ADeadlineGoesToTheHostToo) {
  const auto id = running_job();
  wire::Submission changed;
  changed.set_terminate_us(now.us + 60'000'000);
  bmod(id, S::kTerminateUsFieldNumber, changed);
  ASSERT_EQ(signals.size(), 2u);
  EXPECT_EQ(signals[0].terminate_us(), now.us + 60'000'000);
}

TEST_F(BookLimits, AboveTheQueuesMaximumIsRefused) {
  const auto id = running_job();
  wire::Submission changed;
  changed.mutable_limits()->set_run_s(61 * 60);
  EXPECT_THAT(bmod(id, 1000 + L::kRunSFieldNumber, changed), HasSubstr("RUNLIMIT"));
  EXPECT_THAT(orders_said, IsEmpty());
}

TEST_F(BookLimits, WhatTheKernelKeepsForEachProcessStays) {
  const auto id = running_job();
  wire::Submission changed;
  changed.mutable_limits()->set_stack_kb(4000);
  EXPECT_THAT(bmod(id, 1000 + L::kStackKbFieldNumber, changed), HasSubstr("Job has already started: only "));
  changed.set_project("other");
  EXPECT_THAT(bmod(id, S::kProjectFieldNumber, changed), HasSubstr("are being changed"));
  EXPECT_THAT(orders_said, IsEmpty());  // no host's matter
}

TEST_F(BookLimits, NoHostIsToldOfAPendingJob) {
  const auto id = submitted(plain_job()).id();
  wire::Submission changed;
  changed.mutable_limits()->set_run_s(60);
  EXPECT_THAT(bmod(id, 1000 + L::kRunSFieldNumber, changed), HasSubstr("are being changed"));
  EXPECT_THAT(orders_said, IsEmpty());
}

TEST_F(BookLimits, NumbersThatAreNoLimitsAreRefused) {
  auto asked = plain_job();
  asked.mutable_limits()->set_run_s(std::int64_t{1} << 60);
  EXPECT_EQ(refused(asked), "a time limit of the job is out of range");
  asked.mutable_limits()->set_run_s(60);
  asked.mutable_limits()->set_memory_kb(-1);
  EXPECT_EQ(refused(asked), "a limit of the job is out of range");
}

TEST_F(BookLimits, FileNamesWithControlCharactersAreRefused) {
  auto asked = plain_job();
  auto& file = *asked.add_transfers();
  file.set_local("in");
  file.set_remote("x\x1b[2J");
  EXPECT_EQ(refused(asked), "-f: found a control character, expected none");
}

}  // namespace
}  // namespace rollcall::sched::book
