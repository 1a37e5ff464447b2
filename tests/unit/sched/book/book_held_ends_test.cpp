// Ends of jobs whose parts in other clusters are out of reach: docs/decisions/0106.
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class HeldEnds : public BookTest {
 protected:
  HeldEnds() {
    for (const char* host : {"hostA", "n2@east", "n3@south"}) hello(host);
    const JobKey key{submit(plain_job()), 0};
    dispatch(key, {"hostA", "n2@east", "n3@south"});
    runs(key);
    job_ = key;
  }
  void cut(const std::string& host) { book->hosts().host_gone(host, now); }
  void connects(const std::string& host) {
    hello(host, {{attempt(job_), report::Held::State::expected, false}});
  }
  void told_all(const std::string& host) { tells(host, report::PartsTold{}); }
  void recalled(const std::string& host) {
    tells(host, report::PartOver{attempt(job_), "its slots are taken back", true});
  }
  bool acknowledges() const {
    const auto all = orders(effects);
    return std::any_of(all.begin(), all.end(),
                       [](const auto& line) { return line.starts_with("OrderAcknowledge"); });
  }
  std::string why() const {
    for (const Effect& one : effects)
      if (const auto* recorded = std::get_if<effect::RecordEvent>(&one);
          recorded && recorded->event.has_status())
        return recorded->event.status().why();
    return "";
  }
  std::vector<std::string> write_off(const std::string& cluster, bool only_say = false) {
    auto written = book->forwards().write_off(cluster, kRoot, only_say, now);
    effects = std::move(written.effects);
    return written.lines;
  }
  JobKey job_;
};

TEST_F(HeldEnds, AFailureIsHeldWhileAPartIsOutOfReach) {
  cut("n2@east");
  ends(job_, 137 << 8);
  EXPECT_EQ(status(job_), wire::STATUS_UNKWN);
  EXPECT_FALSE(acknowledges()) << "its host reports it again to a restarted mbatchd";
  EXPECT_EQ(why(),
            "it ended with exit code 137 while its part in cluster east is out of reach: whether that "
            "cluster has ended it is awaited");
  EXPECT_EQ(job(job_).record.start_failure(), why());
  connects("n2@east");
  EXPECT_EQ(status(job_), wire::STATUS_UNKWN) << "the cluster has not told of its parts yet";
  told_all("n2@east");
  EXPECT_EQ(status(job_), wire::STATUS_EXIT) << "it has not ended the part";
  EXPECT_EQ(job(job_).record.exit_status(), 137 << 8);
  EXPECT_TRUE(acknowledges());
}

TEST_F(HeldEnds, AJobWhosePartWasRecalledMeanwhileIsRequeued) {
  cut("n2@east");
  ends(job_, 137 << 8);
  connects("n2@east");
  recalled("n2@east");
  EXPECT_EQ(status(job_), wire::STATUS_PEND);
  EXPECT_TRUE(acknowledges());
  EXPECT_EQ(job(job_).record.requeues(), 0) << "no retry limit counts it";
  told_all("n2@east");
  EXPECT_EQ(status(job_), wire::STATUS_PEND);
}

TEST_F(HeldEnds, AllClustersThatWereOutOfReachAreAwaited) {
  cut("n2@east");
  cut("n3@south");
  ends(job_, 1 << 8);
  connects("n2@east");
  told_all("n2@east");
  EXPECT_EQ(status(job_), wire::STATUS_UNKWN);
  connects("n3@south");
  recalled("n3@south");
  EXPECT_EQ(status(job_), wire::STATUS_PEND);
}

TEST_F(HeldEnds, EndsThatNoRecallCausesAreNotHeld) {
  cut("n2@east");
  ends(job_, 0);
  EXPECT_EQ(status(job_), wire::STATUS_DONE);
  const JobKey limit{submit(plain_job()), 0};
  dispatch(limit, {"hostA", "n2@east"});
  runs(limit);
  auto over = end_of(limit, 137 << 8);
  over.term_reason = TERM_RUNLIMIT;
  tells("hostA", over);
  EXPECT_EQ(status(limit), wire::STATUS_EXIT);
  const JobKey reached{submit(plain_job()), 0};
  dispatch(reached, {"hostA", "n3@south"});
  runs(reached);
  ends(reached, 1 << 8);
  EXPECT_EQ(status(reached), wire::STATUS_EXIT) << "its part's cluster is connected";
}

TEST_F(HeldEnds, AJobOnHostsOfOneClusterAloneIsNotHeld) {
  const JobKey lent{submit(plain_job()), 0};
  dispatch(lent, {"n2@east", "n4@east"});
  runs(lent);
  ends(lent, 1 << 8);
  EXPECT_EQ(status(lent), wire::STATUS_EXIT)
      << "n4@east has not been heard of, and its cluster tells the end";
}

TEST_F(HeldEnds, AKillOrARequeueOfAUserCountsAtOnce) {
  cut("n2@east");
  ends(job_, 1 << 8);
  ask(job_, wire::SignalJobs::KILL);
  EXPECT_EQ(status(job_), wire::STATUS_EXIT);
  const JobKey killed{submit(plain_job()), 0};
  dispatch(killed, {"hostA", "n2@east"});
  runs(killed);
  ask(killed, wire::SignalJobs::KILL);
  ends(killed, 137 << 8);
  EXPECT_EQ(status(killed), wire::STATUS_EXIT) << "it was killed before it ended";
}

TEST_F(HeldEnds, AClusterThatIsWrittenOffIsNotAwaited) {
  cut("n2@east");
  ends(job_, 1 << 8);
  EXPECT_THAT(write_off("south"), IsEmpty());
  ASSERT_EQ(write_off("east", true).size(), 1U);
  EXPECT_EQ(status(job_), wire::STATUS_UNKWN) << "it was only asked";
  EXPECT_THAT(write_off("east").at(0), HasSubstr("the end counts as it is"));
  EXPECT_EQ(status(job_), wire::STATUS_EXIT);
}

// Both words of the host are acknowledged when the end counts, since it forgets the job then.
TEST_F(HeldEnds, APostExecutionThatEndsMeanwhileIsHeldWithTheEnd) {
  const auto acknowledged = [this] {
    int count = 0;
    for (const auto& line : orders(effects)) count += line.starts_with("OrderAcknowledge") ? 1 : 0;
    return count;
  };
  for (const bool recalls : {false, true}) {
    if (recalls) {
      const JobKey key{submit(plain_job()), 0};
      dispatch(key, {"hostA", "n2@east"});
      runs(key);
      job_ = key;
    }
    cut("n2@east");
    auto over = end_of(job_, 1 << 8);
    over.post_follows = true;
    tells("hostA", over);
    tells("hostA", report::PostOver{attempt(job_), true});
    EXPECT_EQ(acknowledged(), 0);
    EXPECT_EQ(status(job_), wire::STATUS_UNKWN);
    connects("n2@east");
    if (recalls)
      recalled("n2@east");
    else
      told_all("n2@east");
    EXPECT_EQ(acknowledged(), 2);
    EXPECT_EQ(status(job_), recalls ? wire::STATUS_PEND : wire::STATUS_EXIT);
    if (!recalls) {
      EXPECT_EQ(job(job_).record.post_status(), wire::POST_ERR);
    }
  }
}

TEST_F(HeldEnds, NoOtherHostSaysHowThePostExecutionEnded) {
  cut("n2@east");
  auto over = end_of(job_, 1 << 8);
  over.post_follows = true;
  tells("hostA", over);
  tells("n3@south", report::PostOver{attempt(job_), true});
  connects("n2@east");
  told_all("n2@east");
  EXPECT_EQ(job(job_).record.post_status(), wire::POST_RUNNING);
}

TEST_F(HeldEnds, TheHostReportsTheEndAgainAndItIsHeldOnce) {
  cut("n2@east");
  ends(job_, 1 << 8);
  cut("hostA");
  hello("hostA", {{attempt(job_), report::Held::State::over, true}});
  ends(job_, 1 << 8);
  EXPECT_EQ(status(job_), wire::STATUS_UNKWN);
  connects("n2@east");
  ends(job_, 1 << 8);
  EXPECT_EQ(status(job_), wire::STATUS_UNKWN) << "the cluster has not told of its parts yet";
  told_all("n2@east");
  EXPECT_EQ(status(job_), wire::STATUS_EXIT);
}

}  // namespace
}  // namespace rollcall::sched::book
