// mbatchd's answers to questions, from a small site's Book and Snapshot.
#include <string>
#include <tuple>
#include <vector>

#include "sched/policy/events/history_selection.hpp"
#include "sched/policy/values/shown_command.hpp"
#include "tests/unit/sched/answers/answers_fixture.hpp"

namespace rollcall::sched::answers {
namespace {

TEST_F(Answers, AUserSeesTheirOwnUnfinishedJobsAndAnybodysByNumber) {
  const auto mine = submit_seen(book::plain_job()), others = submit_seen(book::plain_job(), book::kBob);
  wire::BatchRequest request;
  request.mutable_jobs();
  EXPECT_EQ(ids(whole(request)), std::to_string(mine) + " ");
  request.mutable_jobs()->mutable_filter()->set_user("all");
  EXPECT_EQ(ids(whole(request)), std::to_string(mine) + " " + std::to_string(others) + " ");
  request.mutable_jobs()->mutable_filter()->clear_user();
  request.mutable_jobs()->mutable_filter()->add_keys()->set_id(others);
  request.mutable_jobs()->mutable_filter()->add_keys()->set_id(999);
  const auto reply = whole(request);
  EXPECT_EQ(ids(reply), std::to_string(others) + " ");
  ASSERT_EQ(reply.jobs().unknown_size(), 1);
  EXPECT_EQ(reply.jobs().unknown(0), "999");
}

TEST_F(Answers, LeaveOutScriptsAndEnvironments) {
  auto asked = book::plain_job();
  asked.set_script("#!/bin/sh\nsecret\n");
  asked.add_environment("TOKEN=secret");
  asked.set_output_file("out");
  submit_seen(asked);
  wire::BatchRequest request;
  for (const bool all : {false, true}) {
    request.mutable_jobs()->set_submissions(all);
    const auto reply = whole(request);
    EXPECT_EQ(reply.SerializeAsString().find("secret"), std::string::npos);
    ASSERT_EQ(reply.jobs().submissions_size(), 1);
    EXPECT_EQ(reply.jobs().submissions().begin()->second.output_file(), all ? "out" : "");
    EXPECT_EQ(reply.jobs().submissions().begin()->second.command(), "sleep 1");
  }
}

TEST_F(Answers, LeaveControlCharactersOutOfCommands) {
  submit_seen(book::plain_job("echo a\necho b\tc"));
  wire::BatchRequest request;
  for (const bool all : {false, true}) {
    request.mutable_jobs()->set_submissions(all);
    EXPECT_EQ(whole(request).jobs().submissions().begin()->second.command(), "echo a;echo b\tc");
  }
}

// As older stores may have it: today it is refused.
TEST(ShownCommand, HasNoControlCharacterButATab) {
  EXPECT_EQ(shown_command("echo \x1b]0;x\x07 a\r\necho \xc2\x9b"
                          "b\tc"),
            "echo ?]0;x? a;;echo ?b\tc");
}

TEST_F(Answers, ElementsShareOneSubmissionAndArraysHaveCounts) {
  const auto id = submit_seen(book::array_job(5));
  dispatch({id, 2});
  wire::BatchRequest request;
  request.mutable_jobs();
  auto reply = whole(request);
  EXPECT_EQ(reply.jobs().jobs_size(), 5);
  EXPECT_EQ(reply.jobs().submissions_size(), 1);
  request.mutable_jobs()->set_arrays(true);
  reply = whole(request);
  ASSERT_EQ(reply.jobs().jobs_size(), 1);
  EXPECT_EQ(reply.jobs().jobs(0).array_size(), 5U);
  EXPECT_EQ(reply.jobs().jobs(0).counts().at(wire::STATUS_PEND), 4U);
  EXPECT_EQ(reply.jobs().jobs(0).counts().at(wire::STATUS_RUN), 1U);
}

TEST_F(Answers, LongAnswersComeInPartsThatHaveAllJobs) {
  std::size_t made = 0;
  auto asked = book::plain_job(std::string(2000, 'x'));
  for (int i = 0; i < 600; ++i, ++made) submit_seen(asked);
  wire::BatchRequest request;
  request.mutable_jobs();
  const auto all = parts(request);
  EXPECT_GT(all.size(), 2U);
  std::size_t jobs = 0;
  for (const auto& part : all) {
    EXPECT_LT(part.ByteSizeLong(), 512U * 1024U);
    jobs += static_cast<std::size_t>(part.jobs().jobs_size());
    for (const auto& job : part.jobs().jobs())
      ASSERT_EQ(part.jobs().submissions().count(job.record().submission()), 1U);
  }
  EXPECT_EQ(jobs, made);
}

TEST_F(Answers, JobThatLeavesBetweenTwoPartsIsSkipped) {
  auto asked = book::plain_job(std::string(50 * 1024, 'x'));
  for (int i = 0; i < 10; ++i) submit_seen(asked);
  const auto gone = submit_seen(asked);
  wire::BatchRequest request;
  request.mutable_jobs();
  auto next = *sched::answers::answer(request, book::kAnn, view());
  auto part = next(view());
  ASSERT_TRUE(part && !part->last());
  book->rows().withdraw(gone);
  int jobs = part->jobs().jobs_size();
  while (!part->last()) {
    part = next(view());
    ASSERT_TRUE(part);
    jobs += part->jobs().jobs_size();
  }
  EXPECT_EQ(jobs, 10);
  EXPECT_FALSE(next(view()));
}

TEST_F(Answers, NoPartOfALongAnswerTakesLong) {
  for (int i = 0; i < 5000; ++i) submit_seen(book::plain_job());
  wire::BatchRequest request;
  request.mutable_jobs()->set_reasons(true);
  request.mutable_jobs()->set_shared_reasons(true);
  int jobs = 0;
  for (const auto& part : parts(request)) {
    EXPECT_LE(part.jobs().jobs_size(), 500);
    jobs += part.jobs().jobs_size();
  }
  EXPECT_EQ(jobs, 5000);
}

TEST_F(Answers, ManyJobsThatAreNotSelectedTakeSeveralParts) {
  for (int i = 0; i < 5000; ++i) submit_seen(book::plain_job());
  wire::BatchRequest request;
  request.mutable_jobs()->mutable_filter()->set_project("none");
  const auto all = parts(request);
  EXPECT_GE(all.size(), 2U) << "5000 jobs were looked at in one go";
  for (const auto& part : all) EXPECT_EQ(part.jobs().jobs_size(), 0);
}

TEST_F(Answers, JobsThatPendForTheSameShareTheReasons) {
  for (int i = 0; i < 20; ++i) submit_seen(book::plain_job());
  submit_seen(book::plain_job(), book::kBob);
  wire::BatchRequest request;
  request.mutable_jobs()->mutable_filter()->set_user("all");
  request.mutable_jobs()->set_reasons(true);
  request.mutable_jobs()->set_shared_reasons(true);
  for (const bool names : {false, true}) {
    request.mutable_jobs()->set_reason_hosts(names);
    const auto reply = whole(request);
    ASSERT_EQ(reply.jobs().jobs_size(), 21);
    ASSERT_EQ(reply.jobs().reasons_size(), 2) << "ann's jobs want one thing, bob's another";
    for (const auto& job : reply.jobs().jobs()) {
      EXPECT_EQ(job.reasons_size(), 0);
      EXPECT_EQ(reply.jobs().reasons().count(job.shared_reasons()), 1U);
    }
    const auto& reason = reply.jobs().reasons().at(reply.jobs().jobs(0).shared_reasons()).reasons(0);
    EXPECT_EQ(reason.text(), "Load information unavailable");
    EXPECT_EQ(reason.count(), 3U);
    EXPECT_EQ(reason.hosts_size(), names ? 3 : 0);
  }
}

TEST_F(Answers, WhatJobsPendForIsSentWithTheFirstOfThemAlone) {
  for (int i = 0; i < 3000; ++i) submit_seen(book::plain_job());
  wire::BatchRequest request;
  request.mutable_jobs()->set_reasons(true);
  request.mutable_jobs()->set_shared_reasons(true);
  const auto all = parts(request);
  ASSERT_GT(all.size(), 2U);
  EXPECT_EQ(all[0].jobs().reasons_size(), 1);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_EQ(all[i].jobs().reasons_size(), 0);
}

TEST_F(Answers, SumsOfSlotsAreCountedAndNotAddedUpFromJobs) {
  for (int i = 0; i < 5000; ++i) submit_seen(book::plain_job());
  wire::BatchRequest request;
  request.mutable_jobs()->set_sums(true);
  const auto counted = whole(request);
  EXPECT_EQ(counted.jobs().jobs_size(), 0);
  EXPECT_EQ(counted.jobs().sums().slots().at(wire::STATUS_PEND), 5000U);
  EXPECT_EQ(counted.jobs().sums().unfinished(), 5000U);
  request.mutable_jobs()->mutable_filter()->set_job_name("*");  // as no counter has it
  std::uint64_t slots = 0;
  for (const auto& part : parts(request)) {
    EXPECT_EQ(part.jobs().jobs_size(), 0);
    for (const auto& [status, sum] : part.jobs().sums().slots()) slots += sum;
  }
  EXPECT_EQ(slots, 5000U);
}

TEST_F(Answers, SumsCountAStartThatWaitsAsBjobsShowsIt) {
  tells("hostA", report::HostCame{{}, true, false});
  const auto id = submit_seen(book::plain_job());
  dispatch({id, 0});
  ASSERT_EQ(status({id, 0}), wire::STATUS_RUN);
  wire::BatchRequest request;
  request.mutable_jobs()->set_sums(true);
  const auto shown = [&] {
    std::string text;
    for (const auto& part : parts(request))
      for (const auto& [state, slots] : part.jobs().sums().slots())
        text += std::to_string(state) + ": " + std::to_string(slots) + " ";
    return text;
  };
  const auto one = [](wire::JobStatus state) { return std::to_string(state) + ": 1 "; };
  for (const char* name : {"", "*"}) {  // counted, and added up from jobs
    request.mutable_jobs()->mutable_filter()->set_job_name(name);
    EXPECT_EQ(shown(), one(wire::STATUS_PEND)) << name;
  }
  runs({id, 0});
  for (const char* name : {"", "*"}) {
    request.mutable_jobs()->mutable_filter()->set_job_name(name);
    EXPECT_EQ(shown(), one(wire::STATUS_RUN)) << name;
  }
}

TEST_F(Answers, APendingJobHasReasonsInBothForms) {
  submit_seen(book::plain_job());
  wire::BatchRequest request;
  request.mutable_jobs()->set_reasons(true);
  const auto reply = whole(request);
  ASSERT_EQ(reply.jobs().jobs_size(), 1);
  const auto& job = reply.jobs().jobs(0);
  ASSERT_GT(job.reasons_size(), 0);
  EXPECT_TRUE(job.reasons(0).key());
  EXPECT_FALSE(job.reasons(0).text().empty());
  EXPECT_FALSE(job.reasons(0).why().empty());
}

TEST_F(Answers, ASuspendedJobSaysWhoStoppedIt) {
  const auto id = submit_seen(book::plain_job());
  dispatch({id, 0});
  runs({id, 0});
  wire::SignalJobs stop;
  stop.set_action(wire::SignalJobs::STOP);
  stop.mutable_filter()->add_keys()->set_id(id);
  book->commands().signal_jobs(stop, book::kRoot, now);
  const auto shown = job_view(view(), *book->jobs().find({id, 0}), nullptr);
  ASSERT_EQ(shown.reasons_size(), 1);
  EXPECT_EQ(shown.reasons(0).text(), "The job was suspended by LSF admin or root");
}

TEST_F(Answers, AJobThatTheLoadHasSuspendedSaysWhichThresholdsAreExceeded) {
  book->configure(book::site_files("", "r1m = 0.7/2.0\npg = 5/20\nut = 0.5\n"), now);
  keeper.configure(cycle::placement_rules(book->jobs().config().cluster, book->jobs().config().lsb));
  const JobKey key{submit_seen(book::plain_job()), 0};
  dispatch(key);
  runs(key);
  book->hosts().suspend(key, {wire::SUSPEND_LOAD, "", {}}, now);
  const auto text = [&] {
    const auto shown = job_view(view(), job(key), nullptr);
    return shown.reasons_size() == 1 ? shown.reasons(0).text() : std::string();
  };
  EXPECT_EQ(text(), "The host load exceeded the following threshold(s): r1m, pg") << "no load is known";
  LoadVector load(keeper.snapshot().rules().indices().size());
  load[r1m].number = 1.2;
  load[pg].number = 2;
  keeper.snapshot().set_load(*keeper.snapshot().rules().host("hostA"), load);
  EXPECT_EQ(text(), "The host load exceeded the following threshold(s): r1m")
      << "it is still above loadSched";
}

TEST_F(Answers, AnOrderForAClusterThatIsNotConnectedIsSaidToWait) {
  const JobKey key{submit_seen(book::plain_job()), 0};
  hello("@east");
  event::Dispatched forward;
  forward.placement.hosts.push_back({HostId::whole_cluster("east"), 1});
  forward.forwarded.emplace().set_cluster("east");
  book->hosts().dispatch(key, forward, now);
  report::Elsewhere told{{key, 1}, {}};
  told.job.set_status(wire::STATUS_RUN);
  tells("@east", told);
  const auto reasons = [&] {
    std::vector<std::string> texts;
    const auto shown = job_view(view(), job(key), nullptr);
    for (const auto& reason : shown.reasons()) texts.push_back(reason.text());
    return texts;
  };
  ask(key, wire::SignalJobs::STOP);
  EXPECT_THAT(reasons(), testing::IsEmpty()) << "it is on its way";
  book->hosts().host_gone("@east", now);
  EXPECT_THAT(reasons(),
              testing::ElementsAre("The order to stop the job waits until cluster <east> is connected"));
  told.job.set_status(wire::STATUS_USUSP);
  told.job.set_signal_number(job(key).record.signal_number());
  told.job.set_suspend_reasons(wire::SUSPEND_ADMIN);
  tells("@east", told);
  const auto shown = job_view(view(), job(key), nullptr);
  ASSERT_EQ(shown.reasons_size(), 2);
  EXPECT_THAT(shown.reasons(1).why(), testing::HasSubstr("an administrator of cluster east stopped it"));
}

TEST_F(Answers, QueuesComeByPriorityWithWhatTheirSectionSays) {
  submit_seen(book::plain_job());
  wire::BatchRequest request;
  request.mutable_queues();
  const auto reply = whole(request);
  ASSERT_EQ(reply.queues().queues_size(), 3);
  const auto& normal = reply.queues().queues(0);
  EXPECT_EQ(normal.name(), "normal");
  EXPECT_TRUE(normal.is_default() && normal.open() && normal.active() && normal.window_open());
  EXPECT_EQ(normal.counts().jobs(), 1U);
  EXPECT_EQ(normal.counts().pending(), 1U);
  EXPECT_EQ(normal.limits().run_s(), 3600);
  EXPECT_EQ(normal.default_limits().run_s(), 600);
  EXPECT_EQ(normal.limits().memory_kb(), 5000);
  EXPECT_EQ(normal.lines().at("RES_REQ"), "select[mem > 10]");
  for (const auto& queue : reply.queues().queues())
    if (queue.name() == "special") {
      EXPECT_EQ(queue.users(0), "dev/");
      EXPECT_EQ(queue.policies_size(), 2);
    }
  request.mutable_queues()->add_queues("nosuch");
  EXPECT_EQ(whole(request).refusal().text(), "nosuch: No such queue");
}

TEST_F(Answers, QueuesMayBeThoseOfAUser) {
  wire::BatchRequest request;
  request.mutable_queues()->set_user("eve");
  EXPECT_EQ(whole(request).queues().queues_size(), 2);
  request.mutable_queues()->set_user("bob");
  EXPECT_EQ(whole(request).queues().queues_size(), 3);
}

TEST_F(Answers, HostsMayBeNamedByGroup) {
  wire::BatchRequest request;
  request.mutable_hosts()->add_hosts("big");
  const auto reply = whole(request);
  ASSERT_EQ(reply.hosts().hosts_size(), 2);
  EXPECT_EQ(reply.hosts().hosts(0).name(), "hostB");
  request.mutable_hosts()->add_hosts("nosuch");
  EXPECT_EQ(whole(request).refusal().why(), wire::BatchReply::Refusal::NO_HOST);
}

TEST_F(Answers, HostsCountTheirJobsAndSayThatTheyAreClosed) {
  const auto id = submit_seen(book::plain_job());
  dispatch({id, 0});
  wire::ControlBatch close;
  close.set_action(wire::ControlBatch::HOST_CLOSE);
  close.add_names("hostA");
  close.set_comment("disk");
  book->commands().control(close, book::kRoot, now);
  keeper.control(book->jobs().host_control("hostA").state);
  wire::BatchRequest request;
  request.mutable_hosts()->add_hosts("hosta");
  const auto reply = whole(request);
  ASSERT_EQ(reply.hosts().hosts_size(), 1);
  const auto& host = reply.hosts().hosts(0);
  EXPECT_EQ(host.counts().jobs(), 1U);
  EXPECT_TRUE(host.closed_by_admin());
  EXPECT_EQ(host.comment(), "disk");
  EXPECT_TRUE(host.unavailable());  // no LIM was heard
}

TEST_F(Answers, InvalidRequirementIsRefusedWithItsPlace) {
  wire::BatchRequest request;
  request.mutable_hosts()->set_resreq("select[nosuch > 1]");
  const auto reply = whole(request);
  EXPECT_EQ(reply.refusal().why(), wire::BatchReply::Refusal::BAD_RESREQ);
  EXPECT_EQ(reply.refusal().offset(), 7U);
}

TEST_F(Answers, UsersAreTheCallerOrThoseNamed) {
  submit_seen(book::plain_job());
  submit_seen(book::plain_job(), book::kBob);
  wire::BatchRequest request;
  request.mutable_users();
  auto reply = whole(request);
  ASSERT_EQ(reply.users().users_size(), 1);
  EXPECT_EQ(reply.users().users(0).name(), "ann");
  EXPECT_EQ(reply.users().users(0).counts().pending(), 1U);
  request.mutable_users()->add_users("dev");
  reply = whole(request);
  EXPECT_TRUE(reply.users().users(0).group());
  EXPECT_EQ(reply.users().users(0).counts().jobs(), 2U);
  request.mutable_users()->add_users("all");
  EXPECT_EQ(whole(request).users().users_size(), 3);
}

TEST_F(Answers, GroupsWithoutARowHaveTheSlotLimitOfDefault) {
  const auto limits_of_dev = [&](const std::vector<conf::UserLimits>& limits) {
    auto files = book->jobs().config();
    auto lsb = std::make_shared<conf::LsbFiles>(*files.lsb);
    lsb->users.users = limits;
    files.lsb = std::move(lsb);
    book->configure(files, now);
    keeper.configure(cycle::placement_rules(files.cluster, files.lsb));
    wire::BatchRequest request;
    request.mutable_users()->add_users("dev");
    const auto reply = whole(request);
    const auto& group = reply.users().users(0);
    return (group.has_max() ? std::to_string(group.max()) : "-") + " " +
           (group.has_max_pending() ? std::to_string(group.max_pending()) : "-");
  };
  const conf::UserLimits standard{"default", 5, std::nullopt, 9, {}};
  EXPECT_EQ(limits_of_dev({standard}), "5 -") << "MAX_PEND_JOBS of default is of each user";
  EXPECT_EQ(limits_of_dev({standard, {"dev", 3, std::nullopt, std::nullopt, {}}}), "3 -");
  EXPECT_EQ(limits_of_dev({{"dev@", 3, std::nullopt, std::nullopt, {}}, standard}), "- -");
}

TEST_F(Answers, ParametersAreThoseInForceThenTheOthers) {
  wire::BatchRequest request;
  request.mutable_parameters();
  const auto reply = whole(request);
  EXPECT_EQ(reply.parameters().parameters(0).name(), "DEFAULT_QUEUE");
  EXPECT_EQ(reply.parameters().parameters(0).value(), "normal");
  const auto& last = *reply.parameters().parameters().rbegin();
  EXPECT_EQ(last.name() + " " + last.value(), "MAX_PREEXEC_RETRY 3");
}

TEST_F(Answers, GroupsOfHostsAndUsers) {
  wire::BatchRequest request;
  request.mutable_groups();
  auto reply = whole(request);
  ASSERT_EQ(reply.groups().groups_size(), 1);
  EXPECT_EQ(reply.groups().groups(0).members(1), "hostC");
  request.mutable_groups()->set_of_users(true);
  reply = whole(request);
  EXPECT_EQ(reply.groups().groups(0).name(), "dev");
  request.mutable_groups()->add_groups("nosuch");
  EXPECT_EQ(whole(request).refusal().text(), "nosuch: No such user/host group");
}

TEST_F(Answers, RequestThatChangesSomethingIsNoQuestion) {
  wire::BatchRequest request;
  request.mutable_submit();
  EXPECT_FALSE(sched::answers::answer(request, book::kAnn, view()));
  request.mutable_events();
  EXPECT_FALSE(sched::answers::answer(request, book::kAnn, view()));
}

// ---------------------------------------------------------------- the store's rows

wire::JobEvent::Finish finish_of(const std::string& user, wire::JobStatus status) {
  wire::JobEvent::Finish finish;
  finish.mutable_asked()->set_user(user);
  finish.mutable_asked()->set_project("p1");
  auto& record = *finish.mutable_record();
  record.mutable_key()->set_id(7);
  record.set_status(status);
  record.set_queue("normal");
  record.set_submit_us(1'000);
  record.set_start_us(2'000);
  record.set_end_us(3'000);
  wire::ExecHost& host = *record.add_hosts();
  host.set_name("hostA");
  return finish;
}

TEST(FinishedJobs, FitByUserQueueHostProjectStatusAndTime) {
  const auto finish = finish_of("ann", wire::STATUS_DONE);
  wire::AskFinished ask;
  EXPECT_TRUE(events::fits(ask, book::kAnn, finish));
  EXPECT_FALSE(events::fits(ask, book::kBob, finish));
  ask.add_users("all");
  EXPECT_TRUE(events::fits(ask, book::kBob, finish));
  ask.set_only_exited(true);
  EXPECT_FALSE(events::fits(ask, book::kBob, finish));
  ask.clear_only_exited();
  ask.add_queues("night");
  EXPECT_FALSE(events::fits(ask, book::kBob, finish));
  ask.clear_queues();
  ask.add_hosts("hostB");
  EXPECT_FALSE(events::fits(ask, book::kBob, finish));
  ask.clear_hosts();
  ask.set_completed_from_us(3'001);
  EXPECT_FALSE(events::fits(ask, book::kBob, finish));
  ask.set_completed_from_us(3'000);
  ask.set_completed_to_us(3'000);
  EXPECT_TRUE(events::fits(ask, book::kBob, finish));
  wire::AskFinished by_id;
  by_id.mutable_filter()->add_keys()->set_id(7);
  EXPECT_TRUE(events::fits(by_id, book::kBob, finish));
  by_id.mutable_filter()->mutable_keys(0)->set_id(8);
  EXPECT_FALSE(events::fits(by_id, book::kAnn, finish));
}

TEST(JobEvents, OfAnArrayAreThoseOfItsElementsToo) {
  wire::AskEvents ask;
  auto& key = *ask.mutable_filter()->add_keys();
  key.set_id(7);
  EXPECT_TRUE(events::names_job(ask, {7, 3}));
  key.set_index(3);
  EXPECT_TRUE(events::names_job(ask, {7, 0}));
  EXPECT_TRUE(events::names_job(ask, {7, 3}));
  EXPECT_FALSE(events::names_job(ask, {7, 4}));
}

// bhist -J "q[1]", bacct -J "q[1]"
TEST(JobEvents, OfANameWithAnIndexAreThoseOfThatElement) {
  const wire::Submission asked = book::array_job(3);
  wire::AskEvents ask;
  ask.mutable_filter()->set_user("all");
  wire::AskFinished finished;
  finished.mutable_filter()->set_user("all");
  wire::JobEvent::Finish finish;
  *finish.mutable_asked() = asked;
  finish.mutable_record()->mutable_key()->set_id(7);
  finish.mutable_record()->mutable_key()->set_index(3);
  for (const auto& [name, array, third] :
       std::vector<std::tuple<std::string, bool, bool>>{{"arr[3]", true, true},
                                                        {"a*[1-2]", true, false},
                                                        {"arr[9]", false, false},
                                                        {"arr", true, true},
                                                        {"brr[3]", false, true}}) {
    ask.mutable_filter()->set_job_name(name);
    EXPECT_EQ(events::fits(ask, book::kBob, asked), array) << name;
    EXPECT_TRUE(events::names_job(ask, {7, 0})) << name << ": of the whole array";
    EXPECT_EQ(events::names_job(ask, {7, 3}), third) << name;
    finished.mutable_filter()->set_job_name(name);
    EXPECT_EQ(events::fits(finished, book::kBob, finish), array && third) << name;
  }
}

// Any user may send a pattern: matching that backtracks would block mbatchd for hours.
TEST(JobEvents, NameWithManyStarsIsMatchedInLinearTime) {
  wire::AskEvents ask;
  ask.mutable_filter()->set_user("all");
  wire::Submission asked;
  asked.set_user("ann");
  asked.set_job_name(std::string(200, 'a'));
  for (int i = 0; i < 40; ++i) ask.mutable_filter()->mutable_job_name()->append("*a");
  EXPECT_TRUE(events::fits(ask, book::kBob, asked));
  ask.mutable_filter()->mutable_job_name()->append("*b");
  EXPECT_FALSE(events::fits(ask, book::kBob, asked));
}

TEST(JobEvents, AreSentWithoutScriptsAndEnvironments) {
  wire::JobEvent event;
  event.mutable_new_job()->mutable_asked()->set_script("secret");
  event.mutable_new_job()->mutable_asked()->add_environment("A=secret");
  event.mutable_new_job()->mutable_asked()->set_job_name("sim");
  const auto sent = events::sent_event(event);
  EXPECT_EQ(sent.SerializeAsString().find("secret"), std::string::npos);
  EXPECT_EQ(sent.new_job().asked().job_name(), "sim") << "the other fields are sent";
}

// bparams -a and bqueues -l show what is in force: no invalid value, no keyword without effect.
TEST_F(Answers, ParametersAndQueuesAreShownAsInForce) {
  ConfigView view = book::site_files(
      "MAX_JOBID = many\nNEWJOB_REFRESH = y\nRESOURCE_RESERVE_PER_SLOT = Y\nMAX_JOB_REQUEUE = 4\n");
  auto lsb = std::make_shared<conf::LsbFiles>(*view.lsb);
  conf::Problems problems;
  lsb->queues = conf::read_lsb_queues(
      conf::parse_sections(
          "Begin Queue\nQUEUE_NAME = normal\nPRIORITY = high\nFAIRSHARE = USER_SHARES[[default, 1]]\n"
          "RUNLIMIT = soon 60\nREQUEUE_EXIT_VALUES = 99x\nJOB_STARTER = nice\nJOB_IDLE = 0.1\nEnd Queue\n",
          "q", {}, problems),
      view.cluster->indices, {}, problems);
  view.lsb = lsb;
  keeper.configure(cycle::placement_rules(view.cluster, view.lsb));
  wire::BatchRequest request;
  request.mutable_parameters();
  std::map<std::string, std::string> parameters;
  for (const auto& part : parts(request))
    for (const auto& one : part.parameters().parameters()) parameters[one.name()] = one.value();
  EXPECT_EQ(parameters["MAX_JOBID"], "999999") << "the default counts, not the invalid value";
  EXPECT_EQ(parameters["RESOURCE_RESERVE_PER_SLOT"], "Y");
  EXPECT_EQ(parameters["MAX_JOB_REQUEUE"], "4");
  EXPECT_FALSE(parameters.contains("NEWJOB_REFRESH"));
  request.mutable_queues();
  const auto reply = whole(request);
  ASSERT_EQ(reply.queues().queues_size(), 1);
  const auto& queue = reply.queues().queues(0);
  EXPECT_EQ(queue.priority(), 1);
  EXPECT_EQ(queue.limits().run_s(), 3600);
  EXPECT_EQ(queue.default_limits().run_s(), 3600);
  EXPECT_THAT(queue.policies(), testing::Not(testing::Contains("FAIRSHARE")));
  EXPECT_FALSE(queue.lines().contains("REQUEUE_EXIT_VALUES"));
  EXPECT_EQ(queue.lines().at("JOB_STARTER"), "nice");
}

}  // namespace
}  // namespace rollcall::sched::answers
