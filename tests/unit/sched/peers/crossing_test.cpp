// What of a job crosses to another cluster, and what of a cluster's answer is believed.
#include "sched/policy/peers/crossing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sched/policy/peers/forward_messages.hpp"

namespace rollcall::sched::peers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Crossing, LeavesWhatIsOfOneClusterAtHome) {
  wire::Submission asked;
  asked.set_command("run");
  asked.set_user("ann");
  asked.set_uid(1001);
  asked.set_gid(100);
  asked.set_user_group("dev");
  asked.set_dependency("done(1)");
  asked.set_job_group("/a");
  asked.set_priority(99);
  asked.add_queues("priority");
  for (const char* word : {"PATH=/bin", "LSF_ENVDIR=/etc/lsf", "LSB_JOBID=1", "LS_JOBPID=2",
                           "CUDA_VISIBLE_DEVICES=0", "SBD_KRB5=x", "ROLLCALL_READY_FD=5", "LSFUSER=root",
                           "HOME=/home/ann", "LSFX=stays a user's", "LSF_PJL_TYPE=mpich"})
    asked.add_environment(word);
  const wire::Submission may = crossing(asked);
  EXPECT_EQ(may.command(), "run");
  EXPECT_EQ(may.user(), "ann");
  EXPECT_EQ(may.uid(), 0U) << "who that is, the executing host says";
  EXPECT_EQ(may.gid(), 0U);
  EXPECT_EQ(may.user_group() + may.dependency() + may.job_group(), "");
  EXPECT_FALSE(may.has_priority());
  EXPECT_EQ(may.queues_size(), 0);
  EXPECT_THAT(may.environment(),
              ElementsAre("PATH=/bin", "HOME=/home/ann", "LSFX=stays a user's", "LSF_PJL_TYPE=mpich"));
}

// A field that is added to Submission crosses only when somebody lets it: what crosses twice is what crosses once.
TEST(Crossing, IsTheSameOnBothSides) {
  wire::Submission asked;
  asked.set_command("run");
  asked.add_environment("LSB_JOBID=1");
  EXPECT_EQ(crossing(crossing(asked)).SerializeAsString(), crossing(asked).SerializeAsString());
}

TEST(Crossing, NamesFilesByTheNumbersOfTheSubmission) {
  wire::Submission asked;
  asked.set_output_file("out.%J.%I");
  asked.set_asked_cwd("run%J");
  asked.add_transfers()->set_local("in.%J");
  asked.mutable_transfers(0)->set_remote("there.%I");
  const wire::Submission may = crossing(asked, JobKey{12, 3});
  EXPECT_EQ(may.output_file(), "out.12.3");
  EXPECT_EQ(may.asked_cwd(), "run12");
  EXPECT_EQ(may.numbered_cwd(), 5U) << "it is made there";
  ASSERT_EQ(may.transfers_size(), 1);
  EXPECT_EQ(may.transfers(0).local(), "in.12");
  EXPECT_EQ(may.transfers(0).remote(), "there.3");
}

TEST(Crossing, TellsWhichDirectoriesHadNumbers) {
  const auto numbered = [](const char* path) {
    wire::Submission asked;
    asked.set_asked_cwd(path);
    const wire::Submission may = crossing(asked, JobKey{1234, 3});
    return may.asked_cwd().substr(0, may.numbered_cwd());
  };
  EXPECT_EQ(numbered("/a/b"), "");
  EXPECT_EQ(numbered(""), "");
  EXPECT_EQ(numbered("/a/x%J/%I/b"), "/a/x1234");
  EXPECT_EQ(numbered("/a/x/%I"), "/a/x/3");
  EXPECT_EQ(numbered("%J/"), "1234");
  wire::Submission asked;
  asked.set_asked_cwd("/a/x%J/b");
  EXPECT_EQ(crossing(crossing(asked, JobKey{1234, 3}), JobKey{5, 0}).numbered_cwd(), 8U)
      << "to a third cluster";
}

TEST(Crossing, LetsWhatTheEsubsPrintedCross) {
  wire::Submission asked;
  asked.set_esub_output("ticket");
  asked.mutable_esub_output_at()->set_number(3);
  EXPECT_EQ(crossing(asked).esub_output(), "ticket");
  EXPECT_FALSE(crossing(asked).has_esub_output_at()) << "a row of the store at home";
}

TEST(Crossing, LetsTheKindOfATerminalCross) {
  wire::Submission asked;
  asked.set_interactive(wire::Submission::SHELL);
  EXPECT_EQ(crossing(asked).interactive(), wire::Submission::SHELL);
  asked.set_interactive(static_cast<wire::Submission::Interactive>(77));
  EXPECT_EQ(crossing(asked).interactive(), wire::Submission::NONE);
}

TEST(Crossing, SaysWhatKeepsAJobHere) {
  wire::Submission asked;
  EXPECT_EQ(stays_home(asked), "");
  asked.set_interactive(wire::Submission::TERMINAL);
  EXPECT_EQ(stays_home(asked), "") << "its terminal goes by way of the masters";
  asked.set_output_file("out");
  EXPECT_EQ(stays_home(asked), "") << "its files, too";
  asked.Clear();
  asked.add_transfers();
  EXPECT_EQ(stays_home(asked), "") << "files of -f go by way of the masters";
  asked.Clear();
  asked.add_asked_hosts();
  EXPECT_THAT(stays_home(asked), HasSubstr("-m"));
}

wire::JobElsewhere running() {
  wire::JobElsewhere job;
  job.mutable_key()->set_id(5);
  job.set_queue("guests");
  job.set_status(wire::STATUS_RUN);
  return job;
}

TEST(Believed, StatesWithinBounds) {
  wire::JobElsewhere job = running();
  job.set_why("two\nlines \x1b[2J");
  job.set_pid(-1);
  job.set_queue("a b");
  job.set_suspend_reasons(~0U);
  auto& host = *job.add_hosts();
  host.set_name("evil host");
  job.add_hosts()->set_name("e1");
  auto& usage = *job.mutable_usage();
  usage.set_user_s(std::numeric_limits<double>::quiet_NaN());
  usage.set_system_s(-5);
  usage.set_max_memory_kb(std::numeric_limits<std::int64_t>::max());
  usage.set_threads(-3);
  usage.add_pids(1);
  const auto believed_job = believed(job);
  ASSERT_TRUE(believed_job);
  EXPECT_EQ(believed_job->why().find_first_of("\n\x1b"), std::string::npos);
  EXPECT_EQ(believed_job->pid(), 0);
  EXPECT_EQ(believed_job->queue(), "-");
  EXPECT_LT(believed_job->suspend_reasons(), 128U);
  ASSERT_EQ(believed_job->hosts_size(), 1);
  EXPECT_EQ(believed_job->usage().user_s(), 0);
  EXPECT_EQ(believed_job->usage().system_s(), 0);
  EXPECT_LE(believed_job->usage().max_memory_kb(), std::int64_t{1} << 50);
  EXPECT_EQ(believed_job->usage().threads(), 0);
  EXPECT_EQ(believed_job->usage().pids_size(), 0) << "process numbers of other hosts mean nothing here";
}

TEST(Believed, ProfilesWithNamesThatCanBeShown) {
  wire::PeerApplications told;
  told.add_profiles()->set_name("fluent");
  told.mutable_profiles(0)->set_description("the flow\x1b[2J solver");
  told.add_profiles()->set_name("two words");
  for (int i = 0; i < 2000; ++i) told.add_profiles()->set_name("p" + std::to_string(i));
  const auto profiles = believed(told);
  EXPECT_EQ(profiles.profiles_size(), 1000);
  EXPECT_EQ(profiles.profiles(0).description(), "the flow?[2J solver");
  EXPECT_EQ(profiles.profiles(1).name(), "p0");
}

TEST(Believed, NothingThatNoJobCanBe) {
  wire::JobElsewhere job = running();
  job.set_status(static_cast<wire::JobStatus>(12345));
  EXPECT_FALSE(believed(job));
  job = running();
  job.clear_key();
  EXPECT_FALSE(believed(job));
  job = running();
  for (int i = 0; i < 10'001; ++i) job.add_hosts()->set_name("e");
  EXPECT_FALSE(believed(job));
  wire::ForwardAttempt attempt;
  EXPECT_FALSE(check(attempt));
  attempt.mutable_key()->set_id(1);
  EXPECT_FALSE(check(attempt)) << "attempt 0";
  attempt.set_attempt(1);
  EXPECT_TRUE(check(attempt));
}

TEST(Fitting, HostsAreAtMostSixteenTimesWhatTheJobAsksFor) {
  wire::Submission asked;
  wire::JobElsewhere job = running();
  EXPECT_TRUE(fits(job, asked)) << "it has none yet";
  job.add_hosts()->set_slots(16);
  EXPECT_TRUE(fits(job, asked)) << "a queue may give whole hosts";
  job.mutable_hosts(0)->set_slots(17);
  EXPECT_FALSE(fits(job, asked));
  asked.set_min_slots(2);
  EXPECT_TRUE(fits(job, asked));
  asked.set_max_slots(100);
  job.mutable_hosts(0)->set_slots(1600);
  EXPECT_TRUE(fits(job, asked));
  job.mutable_hosts(0)->set_slots(4'294'967'295U);
  job.add_hosts()->set_slots(4'294'967'295U);
  EXPECT_FALSE(fits(job, asked)) << "a sum that does not wrap round";
  wire::JobElsewhere empty = running();
  for (int i = 0; i < 1601; ++i) empty.add_hosts();
  EXPECT_FALSE(fits(empty, asked)) << "hosts without slots";
  asked.set_nodes(2);
  job.clear_hosts();
  job.add_hosts()->set_slots(2 * 4096);
  EXPECT_TRUE(fits(job, asked)) << "whole hosts of -nnodes";
  asked.set_nodes(1'000'000);
  job.mutable_hosts(0)->set_slots(1'000'000);
  EXPECT_TRUE(fits(job, asked));
  job.mutable_hosts(0)->set_name(std::string(250, 'e'));
  EXPECT_FALSE(fits(job, asked)) << "an event names the host of each slot";
}

TEST(Believed, EndsWithinBounds) {
  wire::ForwardOver over;
  over.set_how(wire::ForwardOver::ENDED);
  *over.mutable_job() = running();
  over.set_exit_status(0x7fff0100);
  over.set_term_reason(-7);
  over.set_run_s(-1);
  const auto end = believed(over);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_status(), 0x0100);
  EXPECT_EQ(end->term_reason(), 0);
  EXPECT_EQ(end->run_s(), 0);
  over.set_how(static_cast<wire::ForwardOver::How>(77));
  EXPECT_FALSE(believed(over));
}

wire::ForwardOver ended_with(int post) {
  wire::ForwardOver over;
  over.mutable_attempt()->mutable_key()->set_id(7);
  over.mutable_attempt()->set_attempt(2);
  *over.mutable_job() = running();
  over.set_post(static_cast<wire::PostStatus>(post));
  return believed(over).value();
}

TEST(Believed, PostExecutionOfAJobThatEndedThere) {
  EXPECT_FALSE(over_of(ended_with(wire::POST_NONE)).post_follows) << "none, or an older release";
  EXPECT_TRUE(over_of(ended_with(wire::POST_RUNNING)).post_follows);
  EXPECT_FALSE(post_over_of(ended_with(wire::POST_RUNNING)));
  for (const int post : {wire::POST_DONE, wire::POST_ERR}) {
    EXPECT_TRUE(over_of(ended_with(post)).post_follows);
    ASSERT_TRUE(post_over_of(ended_with(post)));
    EXPECT_EQ(post_over_of(ended_with(post))->failed, post == wire::POST_ERR);
  }
  EXPECT_EQ(ended_with(77).post(), wire::POST_NONE);
}

// The other cluster closes an attempt whose end is acknowledged, so the acknowledgement says what is still to come.
TEST(Acknowledgement, SaysThatThePostExecutionIsOpen) {
  wire::JobRecord record;
  record.set_attempt(2);
  record.set_status(wire::STATUS_DONE);
  record.set_post_status(wire::POST_RUNNING);
  const auto open = [](std::uint64_t attempt, const wire::JobRecord* of) {
    return acknowledge_of(Attempt{{7, 0}, attempt}, of).acknowledge().post_open();
  };
  EXPECT_TRUE(open(2, &record));
  EXPECT_FALSE(open(1, &record)) << "of an earlier attempt";
  EXPECT_FALSE(open(2, nullptr));
  record.set_post_status(wire::POST_DONE);
  EXPECT_FALSE(open(2, &record));
}

TEST(Believed, QueuesThatTakeOurJobsWithinBounds) {
  wire::PeerApplications told;
  told.add_queues("night");
  EXPECT_FALSE(believed(told).tells_queues()) << "an earlier release";
  told.set_tells_queues(true);
  told.add_queues("a b\n");
  const auto taken = believed(told);
  EXPECT_TRUE(taken.tells_queues());
  ASSERT_EQ(taken.queues_size(), 1);
  EXPECT_EQ(taken.queues(0), "night");
  for (int i = 0; i < 10'000; ++i) told.add_queues("q");
  EXPECT_FALSE(believed(told).tells_queues()) << "too many: as if it had told none";
  EXPECT_EQ(believed(told).queues_size(), 0);
}

// The execution queue's RERUNNABLE does not count: what is not said would be the queue's there.
TEST(OfferedJob, IsRerunnableAsItsOwnQueueSays) {
  for (const bool rerunnable : {true, false}) {
    order::Start order;
    auto asked = std::make_shared<wire::Submission>();
    if (!rerunnable) asked->set_command("sleep 1");
    order.asked = asked;
    order.rerunnable = rerunnable;
    const auto offer = offer_of(order).offer();
    EXPECT_TRUE(offer.asked().has_rerunnable());
    EXPECT_EQ(offer.asked().rerunnable(), rerunnable);
    EXPECT_EQ(crossing(offer.asked()).rerunnable(), rerunnable) << "as the other cluster believes it";
    EXPECT_TRUE(crossing(offer.asked()).has_rerunnable());
  }
}

TEST(LentPrograms, HaveWhatTheQueueSaysAndTheWordsForLinksAlone) {
  order::Start order;
  order.job_starter = "starter %USRCMD";
  order.queue_pre_exec = "pre";
  order.queue_post_exec = "post";
  order.controls = {"SIGTSTP", "", "brequeue $LSB_JOBID"};
  order.nice = -5;
  order.environment = {"LSB_JOBID=7", "LSB_DJOB_HB_INTERVAL=20", "LSB_DJOB_COMMFAIL_ACTION=IGNORE_COMMFAIL",
                       "PATH=/bin"};
  wire::LentPrograms programs = programs_of(order);
  EXPECT_EQ(programs.job_starter(), "starter %USRCMD");
  EXPECT_EQ(programs.queue_pre_exec(), "pre");
  EXPECT_EQ(programs.queue_post_exec(), "post");
  EXPECT_EQ(programs.suspend(), "SIGTSTP");
  EXPECT_EQ(programs.terminate(), "brequeue $LSB_JOBID");
  ASSERT_EQ(programs.links_size(), 2);
  for (const char* word :
       {"LD_PRELOAD=/tmp/x", "LSB_DJOB_HB_INTERVAL=", "LSB_DJOB_HB_INTERVAL=1\nX=2", "LSB_JOBID=1"})
    programs.add_links(word);
  EXPECT_EQ(believed(programs).links_size(), 2) << "a stranger's words for links alone";
  for (int i = 0; i < 100; ++i) programs.add_links("LSB_DJOB_RU_INTERVAL=1");
  EXPECT_LE(believed(programs).links_size(), 8);
  EXPECT_EQ(programs.nice(), -5);
  EXPECT_EQ(believed(programs).nice(), 0) << "a stranger's job does not come before the provider's own";
  programs.set_nice(10);
  EXPECT_EQ(believed(programs).nice(), 10);
}

TEST(Crossing, TheHostOfAnEndIsAHostName) {
  wire::ForwardOver over;
  over.set_how(wire::ForwardOver::NOT_STARTED);
  over.set_due_to_host("n3");
  EXPECT_EQ(believed(over).value().due_to_host(), "n3");
  over.set_due_to_host("n3 n4\n");
  EXPECT_EQ(believed(over).value().due_to_host(), "");
}

// Field 99 of a message, which no release knows.
std::string with_unknown(const std::string& message) {
  return message + "\x9a\x06\x7f" + std::string(127, 'x');
}

TEST(Crossing, WhatIsUnknownInANameIsNotKept) {
  wire::PeerMessage message;
  auto& attempt = *message.mutable_state()->mutable_attempt();
  attempt.mutable_key()->set_id(7);
  attempt.set_attempt(2);
  attempt.set_lent_host("n2");
  attempt.set_part(true);
  attempt.set_made(5);
  const std::string known = message.SerializeAsString();
  wire::JobKey key = attempt.key();
  ASSERT_TRUE(key.ParseFromString(with_unknown(key.SerializeAsString())));
  *attempt.mutable_key() = key;
  wire::ForwardAttempt more;
  ASSERT_TRUE(more.ParseFromString(with_unknown(attempt.SerializeAsString())));
  attempt = more;
  ASSERT_GT(message.ByteSizeLong(), known.size() + 250) << "they are kept as they are";
  keep_known(message);
  EXPECT_EQ(message.SerializeAsString(), known);
  wire::JobElsewhere job;
  job.set_status(wire::STATUS_RUN);
  *job.mutable_key() = key;
  wire::ExecHost host;
  ASSERT_TRUE(host.ParseFromString(with_unknown("")));
  host.set_name("n1");
  host.set_slots(1);
  *job.add_hosts() = host;
  EXPECT_LT(believed(job)->ByteSizeLong(), 50U);
}

}  // namespace
}  // namespace rollcall::sched::peers
