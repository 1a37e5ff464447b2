// The Book: what bkill, bswitch, btop, bmod and their like do and say.
#include "sched/policy/book/book.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

// ---------------------------------------------------------------- what bkill and its like say

TEST_F(BookTest, EachOrderIsAnsweredWithLsfsMessage) {
  submit(plain_job());
  EXPECT_THAT(ask({1, 0}, Act::RESUME), ElementsAre("! Job <1>: Job is not suspended by a user"));
  EXPECT_THAT(ask({1, 0}, Act::STOP), ElementsAre("Job <1> is being stopped"));
  EXPECT_EQ(status({1, 0}), wire::STATUS_PSUSP);
  EXPECT_THAT(ask({1, 0}, Act::RESUME), ElementsAre("Job <1> is being resumed"));
  EXPECT_THAT(ask({1, 0}, Act::SEND, kAnn, 10), ElementsAre("! Job <1>: Job has not started yet"));
  EXPECT_THAT(ask({1, 0}, Act::REQUEUE), ElementsAre("! Job <1>: Job has not started yet"));
  hello("hostA");
  dispatch({1, 0});
  runs({1, 0});
  EXPECT_THAT(ask({1, 0}, Act::SEND, kAnn, 10), ElementsAre("Job <1> is being signaled"));
  EXPECT_THAT(ask({1, 0}, Act::REQUEUE), ElementsAre("Job <1> is being requeued"));
  ends({1, 0}, 130 << 8);
  EXPECT_EQ(status({1, 0}), wire::STATUS_PEND);
  EXPECT_THAT(ask({1, 0}, Act::KILL), ElementsAre("Job <1> is being terminated"));
  EXPECT_THAT(ask({1, 0}, Act::KILL), ElementsAre("! Job <1>: Job has already finished"));
  EXPECT_THAT(ask({9, 0}, Act::KILL), ElementsAre("! Job <9>: No matching job found"));
  EXPECT_THAT(ask({1, 4}, Act::KILL), ElementsAre("! Job <1[4]>: No matching job found"));
  wire::SignalJobs all;
  all.set_action(Act::KILL);
  EXPECT_THAT(signal(all), ElementsAre("!! No matching job found"));
}

TEST_F(BookTest, BresumeTakesBackTheHoldOfABrequeue) {
  submit(plain_job());
  hello("hostA");
  dispatch({1, 0});
  runs({1, 0});
  ask({1, 0}, Act::REQUEUE);
  EXPECT_THAT(ask({1, 0}, Act::RESUME), ElementsAre("! Job <1>: Job is not suspended by a user"));
  ask({1, 0}, Act::STOP);
  EXPECT_THAT(ask({1, 0}, Act::RESUME), ElementsAre("Job <1> is being resumed"));
  ends({1, 0}, 130 << 8);
  EXPECT_EQ(status({1, 0}), wire::STATUS_PEND);
}

TEST_F(BookTest, SequentialSignalsAreOfSequentialJobs) {
  auto wide = plain_job();
  wide.set_min_slots(2);
  wide.set_max_slots(2);
  submit(wide);
  submit(plain_job());
  for (const int id : {1, 2}) {
    dispatch({id, 0});
    runs({id, 0});
    ask({id, 0}, Act::KILL);
    EXPECT_EQ(orders(effects).at(0).find("at once") != std::string::npos, id == 1) << orders(effects).at(0);
  }
  // bkill -s KILL ends at once, without INT and TERM first.
  submit(plain_job());
  dispatch({3, 0});
  runs({3, 0});
  EXPECT_THAT(ask({3, 0}, Act::SEND, kAnn, 9), ElementsAre("Job <3> is being terminated"));
  EXPECT_THAT(orders(effects).at(0), HasSubstr("at once"));
}

TEST_F(BookTest, AllOfTheCallersJobs) {
  submit(plain_job());
  submit(array_job(3));
  submit(plain_job(), kBob);
  wire::SignalJobs all;
  all.set_action(Act::KILL);
  EXPECT_THAT(signal(all), ElementsAre("Job <1> is being terminated", "Job <2> is being terminated"));
  EXPECT_EQ(status({3, 0}), wire::STATUS_PEND);
  EXPECT_EQ(status({2, 3}), wire::STATUS_EXIT);
}

TEST_F(BookTest, ArraysAsAWholeAndByElement) {
  submit(array_job(4));
  EXPECT_THAT(ask({1, 2}, Act::KILL), ElementsAre("Job <1[2]> is being terminated"));
  wire::SignalJobs some;
  some.set_action(Act::STOP);
  auto& list = *some.mutable_filter()->add_index_lists();
  list.set_id(1);
  auto& range = *list.add_indices();
  range.set_first(1);
  range.set_last(3);
  range.set_step(2);
  EXPECT_THAT(signal(some), ElementsAre("Job <1[1]> is being stopped", "Job <1[3]> is being stopped"));
  EXPECT_THAT(ask({1, 0}, Act::KILL), ElementsAre("Job <1> is being terminated"));
  EXPECT_THAT(ask({1, 0}, Act::KILL), ElementsAre("! Job <1>: Job has already finished"));
  EXPECT_EQ(book->jobs().tally(1)->exit, 4U);
}

// bkill -J "arr[2]"; and without -J's id, where the command has added that of the newest job
TEST_F(BookTest, ElementsThatAreNamedAreAnsweredEach) {
  submit(array_job(4));
  wire::SignalJobs named;
  named.set_action(Act::STOP);
  named.mutable_filter()->set_job_name("arr[1-2]");
  EXPECT_THAT(signal(named), ElementsAre("Job <1[1]> is being stopped", "Job <1[2]> is being stopped"));
  named.mutable_filter()->set_job_name("arr[4]");
  set_key(*named.mutable_filter()->add_keys(), {1, 0});
  EXPECT_THAT(signal(named), ElementsAre("Job <1[4]> is being stopped"));
  named.mutable_filter()->set_job_name("arr[5]");
  EXPECT_THAT(signal(named), ElementsAre("! Job <1>: No matching job found"));
}

TEST_F(BookTest, ElementsThatAreOverAreNoFailureOfARange) {
  submit(array_job(3));
  ask({1, 2}, Act::KILL);
  wire::SignalJobs named;
  named.set_action(Act::KILL);
  set_key(*named.mutable_filter()->add_keys(), {1, 0});
  named.mutable_filter()->set_job_name("arr[2]");
  EXPECT_THAT(signal(named), ElementsAre("! Job <1[2]>: Job has already finished")) << "it alone was meant";
  named.mutable_filter()->set_job_name("arr[1-3]");
  named.set_action(Act::STOP);
  EXPECT_THAT(signal(named), ElementsAre("Job <1[1]> is being stopped", "Job <1[3]> is being stopped"));
  named.set_action(Act::RESUME);
  ask({1, 3}, Act::RESUME);
  EXPECT_THAT(signal(named),
              ElementsAre("Job <1[1]> is being resumed", "! Job <1[3]>: Job is not suspended by a user"))
      << "that is one";
  named.set_action(Act::KILL);
  EXPECT_THAT(signal(named), ElementsAre("Job <1[1]> is being terminated", "Job <1[3]> is being terminated"));
  EXPECT_THAT(signal(named), ElementsAre("! Job <1[3]>: Job has already finished")) << "all are";
}

// bjobs -J "arr[2]"
TEST_F(BookTest, FiltersChooseElementsByNameAndIndex) {
  submit(array_job(5));
  auto named = plain_job();
  named.set_job_name("arr");
  submit(named);
  const auto keys = [this](const std::string& name) {
    wire::JobFilter filter;
    filter.set_job_name(name);
    std::vector<std::string> found;
    for (const JobKey key : book->jobs().select(filter, kAnn).jobs) found.push_back(text(key));
    return found;
  };
  EXPECT_THAT(keys("arr[2]"), ElementsAre("1[2]"));
  EXPECT_THAT(keys("arr[1-5:2,2]"), ElementsAre("1[1]", "1[2]", "1[3]", "1[5]"));
  EXPECT_THAT(keys("a*[5,6]"), ElementsAre("1[5]"));
  EXPECT_THAT(keys("arr[6]"), IsEmpty());
  EXPECT_THAT(keys("arr[x]"), IsEmpty()) << "a name";
  EXPECT_EQ(keys("arr").size(), 6U);
}

TEST_F(BookTest, FiltersChooseByNameProjectQueueAndUser) {
  auto named = plain_job();
  named.set_job_name("sim.1");
  named.set_project("p");
  submit(named);
  submit(plain_job(), kBob);
  auto in_special = plain_job();
  in_special.add_queues("special");
  submit(in_special, kBob);
  const auto ids = [this](wire::JobFilter filter, const Identity& who = kAnn) {
    std::vector<std::int32_t> found;
    for (const JobKey key : book->jobs().select(filter, who).jobs) found.push_back(key.id);
    return found;
  };
  wire::JobFilter filter;
  EXPECT_THAT(ids(filter), ElementsAre(1));
  EXPECT_THAT(ids(filter, kBob), ElementsAre(2, 3));
  filter.set_user("all");
  EXPECT_THAT(ids(filter), ElementsAre(1, 2, 3));
  filter.set_queue("special");
  EXPECT_THAT(ids(filter), ElementsAre(3));
  filter = {};
  filter.set_user("dev");
  EXPECT_THAT(ids(filter), ElementsAre(1, 2, 3));
  filter.set_job_name("sim*");
  EXPECT_THAT(ids(filter), ElementsAre(1));
  filter.set_job_name("sim.1");
  EXPECT_THAT(ids(filter), ElementsAre(1));
  filter = {};
  filter.set_project("p");
  EXPECT_THAT(ids(filter), ElementsAre(1));
  dispatch({2, 0}, {"hostB"});
  filter = {};
  filter.set_user("all");
  filter.set_host("big");
  EXPECT_THAT(ids(filter), ElementsAre(2));
  filter.set_host("mars");
  EXPECT_EQ(book->jobs().select(filter, kAnn).refusal->why(), wire::BatchReply::Refusal::NO_HOST);
  filter = {};
  filter.set_queue("none");
  EXPECT_EQ(book->jobs().select(filter, kAnn).refusal->text(), "none: No such queue");
  filter = {};
  set_key(*filter.add_keys(), {9, 2});
  EXPECT_THAT(book->jobs().select(filter, kAnn).unknown, ElementsAre("9[2]"));
  ask({1, 0}, Act::KILL);
  filter = {};
  EXPECT_THAT(ids(filter), IsEmpty());
  filter.set_finished_too(true);
  EXPECT_THAT(ids(filter), ElementsAre(1));
  filter = {};
  set_key(*filter.add_keys(), {1, 0});
  EXPECT_THAT(ids(filter, kBob), ElementsAre(1)) << "by id, of anybody, finished too";
}

// ---------------------------------------------------------------- order, queues, changes

std::vector<std::int32_t> order_of(const Book& book, const std::string& queue) {
  std::vector<std::int32_t> ids;
  for (const auto& [order, key] : book.jobs().pending_of(queue)) ids.push_back(key.id);
  return ids;
}

TEST_F(BookTest, BtopAndBbotMoveAJobAmongItsUsersJobs) {
  for (int i = 0; i < 4; ++i) submit(plain_job(), i % 2 == 0 ? kAnn : kBob);  // 1 3 of ann, 2 4 of bob
  wire::MoveJob move;
  set_key(*move.mutable_key(), {4, 0});
  EXPECT_THAT(answer(book->commands().move_job(move, kBob, now)),
              ElementsAre("Job <4> has been moved to position 1 from top."));
  EXPECT_THAT(order_of(*book, "normal"), ElementsAre(1, 4, 2, 3)) << "not before those of others";
  move.set_position(2);
  answer(book->commands().move_job(move, kRoot, now));
  EXPECT_THAT(order_of(*book, "normal"), ElementsAre(1, 4, 2, 3));
  move.set_position(1);
  answer(book->commands().move_job(move, kRoot, now));
  EXPECT_THAT(order_of(*book, "normal"), ElementsAre(4, 1, 2, 3));
  move.set_to_bottom(true);
  EXPECT_THAT(answer(book->commands().move_job(move, kBob, now)),
              ElementsAre("Job <4> has been moved to position 1 from bottom."));
  EXPECT_THAT(order_of(*book, "normal"), ElementsAre(1, 2, 4, 3));
  answer(book->commands().move_job(move, kRoot, now));
  EXPECT_THAT(order_of(*book, "normal"), ElementsAre(1, 2, 3, 4));
  dispatch({4, 0});
  EXPECT_THAT(answer(book->commands().move_job(move, kRoot, now)),
              ElementsAre("! Job <4>: Job has already started or finished"));
}

// Each of these moves halves the room between two order numbers, and a double holds some fifty halvings.
TEST_F(BookTest, MovesKeepTheirPlaceWhenOrderNumbersRunOut) {
  for (int i = 0; i < 4; ++i) submit(plain_job());
  submit(array_job(3));
  wire::MoveJob move;
  move.set_position(2);
  for (int i = 0; i < 2000; ++i) {
    const std::int32_t moved = i % 2 == 0 ? 3 : 2, other = 5 - moved;
    set_key(*move.mutable_key(), {moved, 0});
    answer(book->commands().move_job(move, kRoot, now));
    ASSERT_THAT(order_of(*book, "normal"), ElementsAre(1, moved, other, 4, 5, 5, 5)) << "move " << i;
  }
  EXPECT_EQ(job({5, 1}).record.order(), job({5, 3}).record.order()) << "elements of an array stay together";
}

TEST_F(BookTest, MovesUpwardsKeepTheirPlaceWhenOrderNumbersRunOut) {
  for (int i = 0; i < 4; ++i) submit(plain_job());
  wire::MoveJob move;
  move.set_to_bottom(true);
  move.set_position(2);
  for (int i = 0; i < 2000; ++i) {
    const std::int32_t moved = i % 2 == 0 ? 2 : 3, other = 5 - moved;
    set_key(*move.mutable_key(), {moved, 0});
    answer(book->commands().move_job(move, kRoot, now));
    ASSERT_THAT(order_of(*book, "normal"), ElementsAre(1, other, moved, 4)) << "move " << i;
  }
  submit(plain_job());
  EXPECT_THAT(order_of(*book, "normal").back(), 5) << "a new job goes to the end";
}

// The order numbers that were changed to make room are what a restart reads.
TEST_F(BookTest, MovesThatMakeRoomSaveAllJobsThatTheyChange) {
  for (int i = 0; i < 4; ++i) submit(plain_job());
  std::map<std::int32_t, double> stored;
  for (std::int32_t id = 1; id <= 4; ++id) stored[id] = job({id, 0}).record.order();
  wire::MoveJob move;
  move.set_position(2);
  int moves_that_made_room = 0;
  for (int i = 0; i < 200; ++i) {
    set_key(*move.mutable_key(), {i % 2 == 0 ? 3 : 2, 0});
    answer(book->commands().move_job(move, kRoot, now));
    int saved = 0;
    for (const Effect& effect : effects)
      if (const auto* save = std::get_if<effect::SaveJob>(&effect)) {
        stored[save->key.id] = job(save->key).record.order();
        ++saved;
      }
    if (saved > 1) ++moves_that_made_room;
    for (const auto& [id, order] : stored) ASSERT_EQ(job({id, 0}).record.order(), order) << "move " << i;
  }
  EXPECT_GT(moves_that_made_room, 0) << "no move ran out of order numbers";
}

TEST_F(BookTest, RequeuedByItselfGoesFirstByItsOwnerLast) {
  for (int i = 0; i < 3; ++i) submit(plain_job());
  dispatch({3, 0});
  runs({3, 0});
  ends({3, 0}, 77 << 8);
  EXPECT_THAT(order_of(*book, "normal"), ElementsAre(3, 1, 2));
  dispatch({3, 0});
  runs({3, 0});
  ask({3, 0}, Act::REQUEUE);
  ends({3, 0}, 130 << 8);
  EXPECT_THAT(order_of(*book, "normal"), ElementsAre(1, 2, 3));
}

TEST_F(BookTest, BswitchMovesAJobToAnotherQueue) {
  auto asked = plain_job();
  asked.set_min_slots(2);
  asked.set_max_slots(2);
  submit(asked);
  wire::SwitchJobs to;
  set_key(*to.mutable_filter()->add_keys(), {1, 0});
  to.set_queue("special");
  EXPECT_THAT(answer(book->commands().switch_jobs(to, kAnn, now)),
              ElementsAre("Job <1> is switched to queue <special>"));
  EXPECT_EQ(job({1, 0}).record.queue(), "special");
  EXPECT_THAT(order_of(*book, "special"), ElementsAre(1));
  EXPECT_EQ(book->jobs().queue_counts("normal").jobs, 0U);
  EXPECT_EQ(book->jobs().queue_counts("special").pend, 2U);
  to.set_queue("talk");
  EXPECT_THAT(answer(book->commands().switch_jobs(to, kAnn, now)),
              ElementsAre("! Job <1>: talk: Queue only accepts interactive jobs"));
  to.set_queue("none");
  EXPECT_THAT(answer(book->commands().switch_jobs(to, kAnn, now)), ElementsAre("!! none: No such queue"));
}

TEST_F(BookTest, BmodChangesTheFieldsThatAreNamed) {
  submit(array_job(3));
  wire::ModifyJobs modify;
  set_key(*modify.mutable_filter()->add_keys(), {1, 2});
  modify.mutable_changed()->set_resreq("mem > 99");
  modify.mutable_changed()->mutable_limits()->set_run_s(120);
  modify.add_fields(wire::Submission::kResreqFieldNumber);
  modify.add_fields(1000 + wire::Limits::kRunSFieldNumber);
  EXPECT_THAT(answer(book->commands().modify_jobs(modify, kAnn, now)),
              ElementsAre("Parameters of job <1[2]> are being changed"));
  EXPECT_EQ(job({1, 2}).asked->resreq(), "mem > 99");
  EXPECT_EQ(book->jobs().effective_limits(job({1, 2})).run_s(), 120);
  EXPECT_EQ(book->jobs().effective_limits(job({1, 1})).run_s(), 600);
  EXPECT_EQ(job({1, 1}).asked->resreq(), "");
  EXPECT_EQ(book->jobs().submissions().size(), 2U);
  // All of it: both submissions go where nothing is left of them.
  wire::ModifyJobs whole;
  set_key(*whole.mutable_filter()->add_keys(), {1, 0});
  whole.mutable_changed()->set_job_name("other");
  whole.add_fields(wire::Submission::kJobNameFieldNumber);
  EXPECT_THAT(answer(book->commands().modify_jobs(whole, kAnn, now)),
              ElementsAre("Parameters of job <1> are being changed"));
  EXPECT_EQ(job({1, 1}).asked->job_name(), "other");
  modify.mutable_changed()->mutable_limits()->set_run_s(99999);
  EXPECT_THAT(answer(book->commands().modify_jobs(modify, kAnn, now)),
              ElementsAre("! Job <1[2]>: normal: Cannot exceed queue's hard limit(s): RUNLIMIT"));
  dispatch({1, 2});
  modify.mutable_changed()->mutable_limits()->set_run_s(60);
  modify.add_fields(wire::Submission::kMinSlotsFieldNumber);
  EXPECT_THAT(answer(book->commands().modify_jobs(modify, kAnn, now)),
              ElementsAre(HasSubstr("Job has already started")));
  wire::ModifyJobs project;
  set_key(*project.mutable_filter()->add_keys(), {1, 2});
  project.mutable_changed()->set_project("gold");
  project.add_fields(wire::Submission::kProjectFieldNumber);
  EXPECT_THAT(answer(book->commands().modify_jobs(project, kRoot, now)),
              ElementsAre(HasSubstr("are being changed")));
  EXPECT_EQ(job({1, 2}).asked->user(), "ann");
}

}  // namespace
}  // namespace rollcall::sched::book
