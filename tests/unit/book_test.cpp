// The Book: submissions, rights, arrays, dependencies, queues, time.
#include "sched/policy/book.hpp"

#include "tests/unit/book_fixture.hpp"

namespace rollcall::sched {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Act = wire::SignalJobs;
using How = wire::FromRes::JobOver;

// ---------------------------------------------------------------- submission

TEST_F(BookTest, ASubmissionIsSavedAndRecorded) {
  const auto accepted = submitted(plain_job());
  EXPECT_EQ(accepted.id(), 1);
  EXPECT_EQ(accepted.queue(), "normal");
  EXPECT_TRUE(accepted.default_queue());
  EXPECT_THAT(accepted.notices(), ElementsAre("Memory limit: 4.88 MB.", "Run limit: 10 min."));
  EXPECT_THAT(lines(effects),
              ElementsAre("SaveSubmission 1", "SaveJob 1", "RecordEvent new job of 1", "SaveCounters"));
  EXPECT_TRUE(schedules(effects));
  const Job& kept = job({1, 0});
  EXPECT_EQ(kept.status(), wire::STATUS_PEND);
  EXPECT_EQ(kept.asked->user(), "ann");
  EXPECT_EQ(kept.asked->uid(), 1001U);
  EXPECT_EQ(kept.asked->project(), "default");
  EXPECT_EQ(kept.asked->min_slots(), 1U);
  EXPECT_EQ(book->combined_resreq(kept), "select[mem > 10 && type == local] order[r15s:pg]");
}

TEST_F(BookTest, IdentityIsTheServersNotTheClients) {
  auto asked = plain_job();
  asked.set_user("root");
  asked.set_uid(0);
  submit(asked, kBob);
  EXPECT_EQ(job({1, 0}).asked->user(), "bob");
  EXPECT_EQ(job({1, 0}).asked->uid(), 1002U);
}

TEST_F(BookTest, WhatIsRefused) {
  const auto with = [](auto change) {
    auto asked = plain_job();
    change(asked);
    return asked;
  };
  using S = wire::Submission;
  EXPECT_EQ(refused(with([](S& a) { a.add_queues("none"); })), "none: No such queue");
  EXPECT_EQ(refused(with([](S& a) { a.add_queues("talk"); })), "talk: Queue only accepts interactive jobs");
  EXPECT_EQ(refused(with([](S& a) { a.add_queues("special"), a.set_interactive(S::PLAIN); })),
            "special: Queue does not accept interactive jobs");
  EXPECT_EQ(refused(with([](S& a) { a.add_queues("special"); }), kEve), "special: User cannot use the queue");
  EXPECT_EQ(refused(with([](S& a) { a.add_queues("special"), a.set_min_slots(9); })),
            "special: Too many processors requested");
  EXPECT_EQ(refused(with([](S& a) { a.add_queues("special"), a.set_min_slots(1); })),
            "special: Too few processors requested");
  EXPECT_EQ(refused(with([](S& a) { a.mutable_limits()->set_run_s(3601); })),
            "normal: Cannot exceed queue's hard limit(s): RUNLIMIT");
  EXPECT_EQ(refused(with([](S& a) { a.set_exclusive(true); })),
            "normal: Queue does not accept exclusive jobs");
  EXPECT_THAT(refused(with([](S& a) { a.set_resreq("select[mem >]"); })),
              HasSubstr("Bad resource requirement syntax"));
  EXPECT_THAT(refused(with([](S& a) { a.set_resreq("nothing > 5"); })),
              HasSubstr("Bad resource requirement syntax"));
  EXPECT_THAT(refused(with([](S& a) { a.set_dependency("done("); })), HasSubstr("dependency condition"));
  EXPECT_EQ(refused(with([](S& a) { a.set_dependency("done(77)"); })), "Job <77> is not found");
  EXPECT_EQ(refused(with([](S& a) { a.set_dependency("done(x)"); })), "x: No matching job found");
  EXPECT_THAT(refused(with([](S& a) { a.set_terminate_us(5); })), HasSubstr("Bad time specification"));
  EXPECT_THAT(refused(with([](S& a) { a.add_asked_hosts()->set_name("mars"); })),
              HasSubstr("mars: Bad host name"));
  EXPECT_THAT(refused(with([](S& a) { a.set_application("x"); })), HasSubstr("-app is not supported yet"));
  EXPECT_THAT(refused(with([](S& a) { a.set_cwd(std::string("/a\0b", 4)); })), HasSubstr("zero byte"));
  for (const char* name : {"a\nb", "a\x1b[2J", "a\x7f"})
    EXPECT_THAT(refused(with([name](S& a) { a.set_job_name(name); })), HasSubstr("control character"));
  EXPECT_THAT(refused(with([](S& a) { a.add_environment("NOVALUE"); })), HasSubstr("NAME=VALUE"));
  EXPECT_EQ(refused(with([](S& a) { a.set_command(""); })), "no command is given");
  EXPECT_THAT(refused(array_job(1001)), HasSubstr("MAX_JOB_ARRAY_SIZE"));
  EXPECT_EQ(book->size(), 0U);
  EXPECT_EQ(book->next_job_id(), 1);
}

TEST_F(BookTest, TheFirstQueueThatFits) {
  auto asked = plain_job();
  asked.add_queues("talk");
  asked.add_queues("special");
  const auto accepted = submitted(asked);
  EXPECT_EQ(accepted.queue(), "special");
  EXPECT_FALSE(accepted.default_queue());
  EXPECT_EQ(job({1, 0}).asked->min_slots(), 4U) << "PROCLIMIT's default";
}

TEST_F(BookTest, CheckingKeepsNothing) {
  wire::Submit request;
  request.set_check_only(true);
  *request.add_jobs() = plain_job();
  const auto applied = book->submit(request, kAnn, now);
  EXPECT_EQ(applied.reply.submitted().jobs(0).id(), 0);
  EXPECT_FALSE(applied.reply.submitted().jobs(0).has_refusal());
  EXPECT_THAT(applied.effects, IsEmpty());
}

TEST_F(BookTest, IdsRollOverAndPassThoseInUse) {
  submit(plain_job());
  book->load_counters(999'999, 5);
  EXPECT_EQ(submit(plain_job()), 999'999);
  EXPECT_EQ(submit(plain_job()), 2);
}

TEST_F(BookTest, AWithdrawnSubmissionWasNeverThere) {
  submit(array_job(5));
  book->withdraw(1);
  EXPECT_EQ(book->size(), 0U);
  EXPECT_TRUE(book->submissions().empty());
}

// ---------------------------------------------------------------- rights

TEST_F(BookTest, OwnersActOnTheirOwnAndAdministratorsOnAll) {
  submit(plain_job());
  const JobKey key{1, 0};
  for (const auto action :
       {Act::KILL, Act::STOP, Act::RESUME, Act::REMOVE, Act::REQUEUE, Act::SEND, Act::FORCE})
    EXPECT_THAT(ask(key, action, kBob, 10), ElementsAre("! Job <1>: User permission denied"));
  wire::MoveJob move;
  set_key(*move.mutable_key(), key);
  EXPECT_THAT(answer(book->move_job(move, kBob, now)), ElementsAre("! Job <1>: User permission denied"));
  wire::SwitchJobs to;
  set_key(*to.mutable_filter()->add_keys(), key);
  to.set_queue("special");
  EXPECT_THAT(answer(book->switch_jobs(to, kBob, now)), ElementsAre("! Job <1>: User permission denied"));
  wire::ModifyJobs modify;
  set_key(*modify.mutable_filter()->add_keys(), key);
  modify.add_fields(wire::Submission::kProjectFieldNumber);
  EXPECT_THAT(answer(book->modify_jobs(modify, kBob, now)), ElementsAre("! Job <1>: User permission denied"));
  EXPECT_THAT(ask(key, Act::KILL, kEve), ElementsAre("! Job <1>: User permission denied"))
      << "another queue's";
  EXPECT_EQ(status(key), wire::STATUS_PEND);
  // Another account of the same name, or one that has got the uid of one that is gone, is not the owner.
  EXPECT_THAT(ask(key, Act::KILL, Identity{1002, 1, "ann", {}, false}), ElementsAre(HasSubstr("denied")));
  EXPECT_THAT(ask(key, Act::KILL, Identity{1001, 1, "bob", {}, false}), ElementsAre(HasSubstr("denied")));
  EXPECT_THAT(ask(key, Act::KILL, kRoot), ElementsAre("Job <1> is being terminated"));
  EXPECT_EQ(job(key).record.term_reason(), TERM_ADMIN);
}

TEST_F(BookTest, AQueuesAdministratorActsOnItsJobs) {
  auto asked = plain_job();
  asked.add_queues("special");
  submit(asked);
  EXPECT_THAT(ask({1, 0}, Act::STOP, kEve), ElementsAre("Job <1> is being stopped"));
  EXPECT_THAT(ask({1, 0}, Act::RESUME, kAnn),
              ElementsAre("! Job <1>: Job was suspended by LSF admin or root, and is resumed by them"));
  EXPECT_THAT(ask({1, 0}, Act::RESUME, kEve), ElementsAre("Job <1> is being resumed"));
}

TEST_F(BookTest, QueuesAndHostsAreTheirAdministrators) {
  wire::ControlBatch control;
  control.set_action(wire::ControlBatch::QUEUE_CLOSE);
  control.add_names("special");
  EXPECT_THAT(answer(book->control(control, kAnn, now)), ElementsAre("! special: User permission denied"));
  EXPECT_THAT(answer(book->control(control, kEve, now)), ElementsAre("Queue <special> is closed"));
  EXPECT_THAT(lines(effects), ElementsAre("SaveControl queue special closed", "RecordEvent queue control"));
  auto asked = plain_job();
  asked.add_queues("special");
  EXPECT_EQ(refused(asked), "special: Queue has been closed");
  control.set_action(wire::ControlBatch::QUEUE_OPEN);
  EXPECT_THAT(answer(book->control(control, kRoot, now)), ElementsAre("Queue <special> is opened"));
  control.set_action(wire::ControlBatch::HOST_CLOSE);
  control.clear_names();
  control.add_names("big");
  control.add_names("mars");
  EXPECT_THAT(answer(book->control(control, kEve, now)), ElementsAre("!! User permission denied"));
  EXPECT_THAT(answer(book->control(control, kRoot, now)),
              ElementsAre("Close <hostB> ...... done", "Close <hostC> ...... done",
                          "! mars: No such host or host group"));
  EXPECT_FALSE(book->host_control("hostB").open);
  EXPECT_TRUE(book->host_control("hostA").open);
}

// ---------------------------------------------------------------- what bkill and its like say

TEST_F(BookTest, Messages) {
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
  EXPECT_EQ(book->tally(1)->exit, 4U);
}

TEST_F(BookTest, Filters) {
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
    for (const JobKey key : book->select(filter, who).jobs) found.push_back(key.id);
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
  EXPECT_EQ(book->select(filter, kAnn).refusal->why(), wire::BatchReply::Refusal::NO_HOST);
  filter = {};
  filter.set_queue("none");
  EXPECT_EQ(book->select(filter, kAnn).refusal->text(), "none: No such queue");
  filter = {};
  set_key(*filter.add_keys(), {9, 2});
  EXPECT_THAT(book->select(filter, kAnn).unknown, ElementsAre("9[2]"));
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
  for (const auto& [order, key] : book.pending_of(queue)) ids.push_back(key.id);
  return ids;
}

TEST_F(BookTest, TopAndBottom) {
  for (int i = 0; i < 4; ++i) submit(plain_job(), i % 2 == 0 ? kAnn : kBob);  // 1 3 of ann, 2 4 of bob
  wire::MoveJob move;
  set_key(*move.mutable_key(), {4, 0});
  EXPECT_THAT(answer(book->move_job(move, kBob, now)),
              ElementsAre("Job <4> has been moved to position 1 from top."));
  EXPECT_THAT(order_of(*book, "normal"), ElementsAre(1, 4, 2, 3)) << "not before those of others";
  move.set_position(2);
  answer(book->move_job(move, kRoot, now));
  EXPECT_THAT(order_of(*book, "normal"), ElementsAre(1, 4, 2, 3));
  move.set_position(1);
  answer(book->move_job(move, kRoot, now));
  EXPECT_THAT(order_of(*book, "normal"), ElementsAre(4, 1, 2, 3));
  move.set_to_bottom(true);
  EXPECT_THAT(answer(book->move_job(move, kBob, now)),
              ElementsAre("Job <4> has been moved to position 1 from bottom."));
  EXPECT_THAT(order_of(*book, "normal"), ElementsAre(1, 2, 4, 3));
  answer(book->move_job(move, kRoot, now));
  EXPECT_THAT(order_of(*book, "normal"), ElementsAre(1, 2, 3, 4));
  dispatch({4, 0});
  EXPECT_THAT(answer(book->move_job(move, kRoot, now)),
              ElementsAre("! Job <4>: Job has already started or finished"));
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

TEST_F(BookTest, Switching) {
  auto asked = plain_job();
  asked.set_min_slots(2);
  asked.set_max_slots(2);
  submit(asked);
  wire::SwitchJobs to;
  set_key(*to.mutable_filter()->add_keys(), {1, 0});
  to.set_queue("special");
  EXPECT_THAT(answer(book->switch_jobs(to, kAnn, now)),
              ElementsAre("Job <1> is switched to queue <special>"));
  EXPECT_EQ(job({1, 0}).record.queue(), "special");
  EXPECT_THAT(order_of(*book, "special"), ElementsAre(1));
  EXPECT_EQ(book->queue_counts("normal").jobs, 0U);
  EXPECT_EQ(book->queue_counts("special").pend, 2U);
  to.set_queue("talk");
  EXPECT_THAT(answer(book->switch_jobs(to, kAnn, now)),
              ElementsAre("! Job <1>: talk: Queue only accepts interactive jobs"));
  to.set_queue("none");
  EXPECT_THAT(answer(book->switch_jobs(to, kAnn, now)), ElementsAre("!! none: No such queue"));
}

TEST_F(BookTest, Modifying) {
  submit(array_job(3));
  wire::ModifyJobs modify;
  set_key(*modify.mutable_filter()->add_keys(), {1, 2});
  modify.mutable_changed()->set_resreq("mem > 99");
  modify.mutable_changed()->mutable_limits()->set_run_s(120);
  modify.add_fields(wire::Submission::kResreqFieldNumber);
  modify.add_fields(1000 + wire::Limits::kRunSFieldNumber);
  EXPECT_THAT(answer(book->modify_jobs(modify, kAnn, now)),
              ElementsAre("Parameters of job <1[2]> are being changed"));
  EXPECT_EQ(job({1, 2}).asked->resreq(), "mem > 99");
  EXPECT_EQ(book->effective_limits(job({1, 2})).run_s(), 120);
  EXPECT_EQ(book->effective_limits(job({1, 1})).run_s(), 600);
  EXPECT_EQ(job({1, 1}).asked->resreq(), "");
  EXPECT_EQ(book->submissions().size(), 2U);
  // All of it: both submissions go where nothing is left of them.
  wire::ModifyJobs whole;
  set_key(*whole.mutable_filter()->add_keys(), {1, 0});
  whole.mutable_changed()->set_job_name("other");
  whole.add_fields(wire::Submission::kJobNameFieldNumber);
  EXPECT_THAT(answer(book->modify_jobs(whole, kAnn, now)),
              ElementsAre("Parameters of job <1> are being changed"));
  EXPECT_EQ(job({1, 1}).asked->job_name(), "other");
  modify.mutable_changed()->mutable_limits()->set_run_s(99999);
  EXPECT_THAT(answer(book->modify_jobs(modify, kAnn, now)),
              ElementsAre("! Job <1[2]>: normal: Cannot exceed queue's hard limit(s): RUNLIMIT"));
  dispatch({1, 2});
  modify.mutable_changed()->mutable_limits()->set_run_s(60);
  EXPECT_THAT(answer(book->modify_jobs(modify, kAnn, now)),
              ElementsAre(HasSubstr("Job has already started")));
  wire::ModifyJobs project;
  set_key(*project.mutable_filter()->add_keys(), {1, 2});
  project.mutable_changed()->set_project("gold");
  project.add_fields(wire::Submission::kProjectFieldNumber);
  EXPECT_THAT(answer(book->modify_jobs(project, kRoot, now)), ElementsAre(HasSubstr("are being changed")));
  EXPECT_EQ(job({1, 2}).asked->user(), "ann");
}

// ---------------------------------------------------------------- dependencies

TEST_F(BookTest, DependenciesAreLookedAtWhenWhatTheyNameChanges) {
  submit(plain_job());
  auto after = plain_job();
  after.set_dependency("done(1)");
  submit(after);
  EXPECT_EQ(book->dependency_state(job({2, 0})), DependencyState::not_yet);
  dispatch({1, 0});
  runs({1, 0});
  ends({1, 0}, 0);
  EXPECT_TRUE(schedules(effects));
  EXPECT_EQ(book->dependency_state(job({2, 0})), DependencyState::satisfied);
}

TEST_F(BookTest, NamesMeanTheNewestOfTheirUser) {
  auto named = plain_job();
  named.set_job_name("sim");
  submit(named);
  submit(named);
  submit(named, kBob);
  auto after = plain_job();
  after.set_dependency("ended(\"sim\")");
  submit(after);
  EXPECT_EQ(job({4, 0}).asked->bound_dependency(), "ended(2)");
  after.set_dependency("ended(\"si*\")");
  submit(after);
  EXPECT_EQ(job({5, 0}).asked->bound_dependency(), "ended(2) && ended(1)");
  submit(named);
  ask({2, 0}, Act::KILL);
  EXPECT_EQ(book->dependency_state(job({4, 0})), DependencyState::satisfied);
}

TEST_F(BookTest, ElementsWaitForElements) {
  submit(array_job(3));
  auto after = array_job(3);
  after.set_dependency("done(1[*])");
  submit(after);
  dispatch({1, 2});
  runs({1, 2});
  ends({1, 2}, 0);
  EXPECT_EQ(book->dependency_state(job({2, 1})), DependencyState::not_yet);
  EXPECT_EQ(book->dependency_state(job({2, 2})), DependencyState::satisfied);
  ask({1, 3}, Act::KILL);
  EXPECT_EQ(book->dependency_state(job({2, 3})), DependencyState::never);
}

TEST_F(BookTest, WhatOthersWaitForStaysInMemory) {
  submit(plain_job());
  submit(plain_job());
  auto after = plain_job();
  after.set_dependency("ended(1) && ended(2)");
  submit(after);
  ask({1, 0}, Act::KILL);
  now = wall_seconds(1'010'000);
  effects = book->tick(now);
  EXPECT_NE(book->find({1, 0}), nullptr);
  ask({2, 0}, Act::KILL);
  dispatch({3, 0});
  effects = book->tick(now);
  EXPECT_EQ(book->find({1, 0}), nullptr);
  EXPECT_NE(book->find({2, 0}), nullptr);
  ends({3, 0}, 77 << 8);
  EXPECT_EQ(book->dependency_state(job({3, 0})), DependencyState::satisfied) << "once is enough";
}

TEST_F(BookTest, ConditionsOfBwait) {
  submit(plain_job());
  EXPECT_EQ(book->state_of(*book->condition("ended(1)", kAnn)), DependencyState::not_yet);
  ask({1, 0}, Act::KILL);
  EXPECT_EQ(book->state_of(*book->condition("ended(1)", kAnn)), DependencyState::satisfied);
  EXPECT_EQ(book->state_of(*book->condition("done(1)", kAnn)), DependencyState::never);
  EXPECT_EQ(book->condition("done(5)", kAnn).error().text, "Job <5> is not found");
}

// ---------------------------------------------------------------- time

TEST_F(BookTest, FinishedJobsLeaveAfterCleanPeriodArraysAsAWhole) {
  submit(array_job(2));
  ask({1, 1}, Act::KILL);
  EXPECT_EQ(book->next_deadline(), std::nullopt);
  now = wall_seconds(1'001'000);
  ask({1, 2}, Act::KILL);
  ASSERT_TRUE(book->next_deadline());
  EXPECT_EQ(book->next_deadline()->seconds(), 1'004'600);
  effects = book->tick(wall_seconds(1'004'599));
  EXPECT_THAT(effects, IsEmpty());
  effects = book->tick(wall_seconds(1'004'600));
  EXPECT_THAT(lines(effects), ElementsAre("RemoveJob 1[2]", "RecordEvent clean of 1[2]", "RemoveJob 1[1]",
                                          "RecordEvent clean of 1[1]"));
  EXPECT_EQ(book->size(), 0U);
  EXPECT_EQ(book->next_deadline(), std::nullopt);
}

TEST_F(BookTest, BeginAndTerminate) {
  auto asked = plain_job();
  asked.set_begin_us(wall_seconds(1'000'100).us);
  asked.set_terminate_us(wall_seconds(1'000'200).us);
  submit(asked);
  EXPECT_EQ(book->next_deadline()->seconds(), 1'000'100);
  effects = book->tick(wall_seconds(1'000'100));
  EXPECT_TRUE(schedules(effects));
  now = wall_seconds(1'000'150);
  dispatch({1, 0});
  runs({1, 0});
  effects = book->tick(wall_seconds(1'000'200));
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("TERMINATE")));
  auto end = end_of({1, 0}, 143 << 8);
  end.mutable_over()->set_term_reason(TERM_DEADLINE);
  effects = book->res_said("hostA", end, now);
  EXPECT_EQ(job({1, 0}).record.term_reason(), TERM_DEADLINE);
}

// ---------------------------------------------------------------- counts

TEST_F(BookTest, Counts) {
  auto wide = plain_job();
  wide.set_min_slots(3);
  wide.set_max_slots(3);
  submit(wide);
  submit(plain_job());
  EXPECT_EQ(book->queue_counts("normal"), (StatusCounts{4, 4, 0, 0, 0, 2}));
  dispatch({1, 0}, {"hostA", "hostB", "hostB"});
  EXPECT_EQ(book->user_counts("ann"), (StatusCounts{4, 1, 3, 0, 0, 1}));
  ask({1, 0}, Act::STOP);
  EXPECT_EQ(book->user_counts("ann"), (StatusCounts{4, 1, 0, 0, 3, 1}));
  EXPECT_EQ(book->host_counts("hostA").ususp, 1U);
  ends({1, 0}, 0);
  EXPECT_EQ(book->user_counts("ann"), (StatusCounts{1, 1, 0, 0, 0, 1}));
  EXPECT_EQ(book->host_counts("hostB"), StatusCounts{});
}

}  // namespace
}  // namespace rollcall::sched
