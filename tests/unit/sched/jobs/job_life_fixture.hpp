// One job to which things happen: for the tests of job_life.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "sched/policy/jobs/job_life.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::jobs {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using How = report::Over::How;
using State = report::Held::State;

inline const event::By kOwner{"ann", 1001, true, false};
inline const event::By kAdmin{"root", 0, false, true};

class JobLife : public testing::Test {
 protected:
  JobLife() {
    asked.set_command("true");
    reset();
  }
  ~JobLife() override { EXPECT_EQ(broken_invariant(job.record), ""); }

  void reset() {
    job.asked = std::make_shared<wire::Submission>(asked);
    job.record = new_record(asked, {7, 0}, 1, "normal", now);
  }
  void happens(const JobHappening& event) {
    effects.clear();
    step(job, rules, event, now, effects);
    EXPECT_EQ(broken_invariant(job.record), "") << sched::text(event);
  }
  void runs(const std::vector<std::string>& hosts = {"hostA"}) {
    reset();
    happens(book::on_hosts(hosts));
    event::Ran ran;
    ran.told.pid = 42;
    happens(ran);
  }
  void is(wire::JobStatus status) {
    if (status == wire::STATUS_PEND) return reset();
    if (status == wire::STATUS_PSUSP) {
      reset();
      return happens(event::StopAsked{kOwner});
    }
    runs();
    if (status == wire::STATUS_SSUSP) happens(event::SuspendPlanned{wire::SUSPEND_LOAD, ""});
    if (status == wire::STATUS_USUSP) happens(event::StopAsked{kOwner});
    if (status == wire::STATUS_UNKWN || status == wire::STATUS_ZOMBI) happens(event::HostLost{});
    if (status == wire::STATUS_ZOMBI) happens(event::KillAsked{kOwner});
    if (status == wire::STATUS_DONE) happens(ended(0));
    if (status == wire::STATUS_EXIT) happens(ended(1 << 8));
    ASSERT_EQ(job.status(), status);
  }
  static event::Ended ended(int status, How how = How::ended) {
    event::Ended ended;
    ended.told.how = how;
    ended.told.exit_status = status;
    return ended;
  }
  wire::JobStatus status() const { return job.status(); }

  wire::Submission asked;
  JobRules rules;
  Job job;
  WallTime now = wall_seconds(1000);
  Effects effects;
};

}  // namespace rollcall::sched::jobs
