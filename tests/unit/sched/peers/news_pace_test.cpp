// How often changes of a job that another cluster tells are stored.
#include "sched/policy/peers/news_pace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace rollcall::sched::peers {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

class NewsPaces : public testing::Test {
 protected:
  // A job of ours that is in cluster east, as a Book would have it.
  Job& job(int id) {
    Job& job = jobs_[id];
    if (job.record.attempt() != 0) return job;
    set_key(*job.record.mutable_key(), {id, 0});
    job.record.set_attempt(1);
    job.record.set_status(wire::STATUS_RUN);
    return job;
  }
  static report::Elsewhere told(int id, wire::JobStatus status, double user_s = 0) {
    report::Elsewhere report{{{id, 0}, 1}, {}};
    report.job.set_status(status);
    report.job.mutable_usage()->set_user_s(user_s);
    return report;
  }
  void store(const HostReport& report) {
    const auto& change = std::get<report::Elsewhere>(report);
    stored_ += stands(change.attempt.job.id) != change.job.status() ? 1 : 0;
    *job(change.attempt.job.id).record.mutable_forwarded()->mutable_there() = change.job;
  }
  bool tell(int id, wire::JobStatus status, const std::string& host = "@east", double user_s = 0) {
    const auto report = told(id, status, user_s);
    const bool passes = pace_.passes(host, report, &job(id), now_);
    if (passes) store(report);
    return passes;
  }
  void later(Duration passed) {
    now_ = now_ + passed;
    for (auto& one : pace_.due(now_)) store(one.report);
  }
  wire::JobStatus stands(int id) { return job(id).record.forwarded().there().status(); }
  // Uses up the changes that are free.
  void spend(int id) {
    for (int i = 0; i < NewsPace::kFree; ++i)
      ASSERT_TRUE(tell(id, i % 2 ? wire::STATUS_SSUSP : wire::STATUS_RUN)) << i;
  }

  NewsPace pace_;
  TimePoint now_{1000s};
  int stored_ = 0;  // changes
  std::map<int, Job> jobs_;
};

TEST_F(NewsPaces, StoreEveryChangeOfAnHonestJob) {
  for (int id = 1; id <= 1000; ++id) {
    for (const auto status : {wire::STATUS_PEND, wire::STATUS_RUN, wire::STATUS_SSUSP, wire::STATUS_RUN})
      EXPECT_TRUE(tell(id, status));
    EXPECT_TRUE(pace_.passes("@east", report::Over{{{id, 0}, 1}}, &job(id), now_));
  }
  EXPECT_EQ(pace_.next_due(), std::nullopt);
  EXPECT_THAT(pace_.take_lines(), IsEmpty());
}

TEST_F(NewsPaces, KeepTheLastOfManyChangesAndSayItOnce) {
  spend(7);
  for (int i = 0; i < 100'000; ++i) tell(7, i % 2 ? wire::STATUS_RUN : wire::STATUS_SSUSP);
  EXPECT_EQ(stored_, NewsPace::kFree + 1);
  EXPECT_THAT(pace_.take_lines(), SizeIs(1));
  stored_ = 0;
  for (int i = 0; i < 600; ++i) {
    for (const auto status : {wire::STATUS_PEND, wire::STATUS_RUN, wire::STATUS_SSUSP, wire::STATUS_USUSP})
      tell(7, status);
    later(1s);
  }
  later(NewsPace::kPause);
  EXPECT_LE(stored_, 600 / 30 + 2) << "in ten minutes of 2400 changes";
  EXPECT_EQ(stands(7), wire::STATUS_USUSP) << "how it stands is not lost";
  EXPECT_THAT(pace_.take_lines(), IsEmpty());
}

TEST_F(NewsPaces, LetUsageAndWhatChangesNothingPass) {
  spend(7);
  tell(7, wire::STATUS_RUN);
  const bool waits = !tell(7, wire::STATUS_PEND);
  ASSERT_TRUE(waits);
  const auto as_stored = stands(7);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(tell(7, as_stored, "@east", i));
  EXPECT_EQ(pace_.next_due(), std::nullopt) << "the one that waited is older";
}

TEST_F(NewsPaces, DropWhatWaitsBehindAnEnd) {
  spend(7);
  tell(7, wire::STATUS_PEND);
  tell(7, wire::STATUS_USUSP);
  ASSERT_NE(pace_.next_due(), std::nullopt);
  EXPECT_TRUE(pace_.passes("@east", report::Over{{{7, 0}, 1}}, &job(7), now_));
  EXPECT_EQ(pace_.next_due(), std::nullopt);
  EXPECT_FALSE(tell(7, wire::STATUS_PSUSP)) << "an end that nobody takes makes nothing free";
  pace_.settled("@east", {{7, 0}, 1});
  EXPECT_EQ(pace_.next_due(), std::nullopt);
}

TEST_F(NewsPaces, BoundTheChangesOfAllJobsOfACluster) {
  for (int id = 1; id <= 1000; ++id) spend(id);
  stored_ = 0;
  for (int second = 0; second < 60; ++second) {
    for (int id = 1; id <= 1000; ++id) {
      tell(id, wire::STATUS_PEND);
      tell(id, second % 2 ? wire::STATUS_PSUSP : wire::STATUS_USUSP);
    }
    later(1s);
  }
  EXPECT_LE(stored_, NewsPace::kMostAtOnce + 61 * NewsPace::kPerSecond);
  EXPECT_GE(stored_, 60 * NewsPace::kPerSecond) << "they have their turns";
}

TEST_F(NewsPaces, HoldUpNoOtherCluster) {
  for (int id = 1; id <= 500; ++id) {
    spend(id);
    tell(id, wire::STATUS_PEND);
    tell(id, wire::STATUS_PSUSP);
  }
  EXPECT_TRUE(tell(1001, wire::STATUS_RUN, "@north"));
  for (int i = 1; i < NewsPace::kFree; ++i)
    tell(1001, i % 2 ? wire::STATUS_SSUSP : wire::STATUS_RUN, "@north");
  EXPECT_TRUE(tell(1001, wire::STATUS_PEND, "@north")) << "the first one beyond the free ones";
}

TEST_F(NewsPaces, BoundTheStopsOfJobsOnBorrowedHosts) {
  Job& borrowed = job(7);
  int passed = 0;
  for (int i = 0; i < 10'000; ++i) {
    const bool stops = i % 2 == 0;
    HostReport report = report::Resumed{{{7, 0}, 1}};
    if (stops) report = report::Stopped{{{7, 0}, 1}};
    if (!pace_.passes("e1@east", report, &borrowed, now_)) continue;
    borrowed.record.set_status(stops ? wire::STATUS_USUSP : wire::STATUS_RUN);
    ++passed;
  }
  EXPECT_LE(passed, NewsPace::kFree + 1 + 5'000) << "what changes nothing passes";
  const auto before = borrowed.record.status();
  HostReport last = report::Resumed{{{7, 0}, 1}};
  if (before == wire::STATUS_RUN) last = report::Stopped{{{7, 0}, 1}};
  EXPECT_FALSE(pace_.passes("e1@east", last, &borrowed, now_));
  now_ = now_ + NewsPace::kPause;
  EXPECT_THAT(pace_.due(now_), SizeIs(1));
}

TEST_F(NewsPaces, BoundHostsThatAreLostAndHeardAgain) {
  Job& borrowed = job(7);
  int passed = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool lost = i % 2 == 0;
    HostReport report = report::HeardAgain{{{7, 0}, 1}};
    if (lost) report = report::Unheard{{{7, 0}, 1}};
    const auto before = borrowed.record.status();
    if (!pace_.passes("e1@east", report, &borrowed, now_)) continue;
    borrowed.record.set_status(lost ? wire::STATUS_UNKWN : wire::STATUS_RUN);
    passed += borrowed.record.status() != before ? 1 : 0;
  }
  EXPECT_LE(passed, NewsPace::kFree + 1);
  EXPECT_GE(passed, NewsPace::kFree);
}

TEST_F(NewsPaces, AreNotForAttemptsThatAreNotOurs) {
  EXPECT_TRUE(pace_.passes("@east", told(8, wire::STATUS_RUN), nullptr, now_));
  Job& other = job(9);
  other.record.set_attempt(2);
  for (int i = 0; i < 1000; ++i)
    EXPECT_TRUE(pace_.passes("@east", told(9, i % 2 ? wire::STATUS_RUN : wire::STATUS_PEND), &other, now_));
  EXPECT_TRUE(pace_.passes("@east", report::HostCame{}, nullptr, now_));
}

}  // namespace
}  // namespace rollcall::sched::peers
