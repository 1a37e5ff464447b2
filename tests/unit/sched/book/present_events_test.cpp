// What a new lsb.events begins with: every job that is not over, as it is.
#include "sched/policy/book/present_events.hpp"

#include "sched/policy/events/event_lines.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PresentEvents : public BookTest {
 protected:
  // The type of each record that tells of the job, and what follows its number in one of status.
  std::vector<std::string> told(JobKey key) {
    std::vector<std::string> types;
    tell_of_job(book->jobs(), key, [&](const wire::JobEvent& event) {
      const auto fields = events::split_event_line(events::event_line(event));
      ASSERT_TRUE(fields && fields->size() > 4);
      types.push_back(fields->at(0) == "JOB_STATUS" ? "JOB_STATUS " + fields->at(4) : fields->at(0));
    });
    return types;
  }
};

TEST_F(PresentEvents, AJobThatPends) {
  const auto id = submit(plain_job());
  EXPECT_THAT(jobs_not_over(book->jobs()), ElementsAre(JobKey{id, 0}));
  EXPECT_THAT(told({id, 0}), ElementsAre("JOB_NEW"));
  ask({id, 0}, wire::SignalJobs::STOP);
  EXPECT_THAT(told({id, 0}), ElementsAre("JOB_NEW", "JOB_STATUS 2"));
}

TEST_F(PresentEvents, AJobThatRuns) {
  const auto id = submit(plain_job());
  book->hosts().dispatch({id, 0}, on_hosts({"hostA"}), now);
  EXPECT_THAT(told({id, 0}), ElementsAre("JOB_NEW", "JOB_START"));
  ask({id, 0}, wire::SignalJobs::STOP);
  EXPECT_THAT(told({id, 0}), ElementsAre("JOB_NEW", "JOB_START", "JOB_STATUS 16"));
}

// As the line of its start was when it began.
TEST_F(PresentEvents, AStartHasTheProgramsOfItsQueue) {
  ConfigView view = site_files("");
  auto lsb = std::make_shared<conf::LsbFiles>(*view.lsb);
  for (auto& queue : lsb->queues)
    if (queue.name == "talk") queue.jobs.post_exec = "/bin/false";
  view.lsb = lsb;
  book->configure(view, now);
  auto asked = plain_job();
  asked.add_queues("talk");
  asked.set_interactive(wire::Submission::TERMINAL);
  const auto id = submit(asked);
  book->hosts().dispatch({id, 0}, on_hosts({"hostA"}), now);
  std::vector<std::string> programs;
  tell_of_job(book->jobs(), {id, 0}, [&](const wire::JobEvent& event) {
    if (!event.has_start()) return;
    programs.push_back(event.start().pre_exec());
    programs.push_back(event.start().post_exec());
  });
  EXPECT_THAT(programs, ElementsAre("/bin/true", "/bin/false"));
}

TEST_F(PresentEvents, AnArrayIsToldOfOnceAndItsElementsWhereTheyHaveBegun) {
  const auto id = submit(array_job(5));
  book->hosts().dispatch({id, 2}, on_hosts({"hostA"}), now);
  EXPECT_THAT(jobs_not_over(book->jobs()), ElementsAre(JobKey{id, 0}, JobKey{id, 2}));
  EXPECT_THAT(told({id, 0}), ElementsAre("JOB_NEW"));
  EXPECT_THAT(told({id, 2}), ElementsAre("JOB_START"));
}

TEST_F(PresentEvents, AJobThatIsOverIsNotAmongThemButCanBeToldOf) {
  const auto id = submit(plain_job());
  ask({id, 0}, wire::SignalJobs::KILL);
  EXPECT_THAT(jobs_not_over(book->jobs()), IsEmpty());
  EXPECT_THAT(told({id, 0}), ElementsAre("JOB_NEW", "JOB_STATUS 32"));
  EXPECT_THAT(told({id + 1, 0}), IsEmpty()) << "an unknown job has no events";
}

}  // namespace
}  // namespace rollcall::sched::book
