// sched/client against a fake mbatchd: results and failures are values, lines to read while a program waits go to
// the observer, and nothing is printed.
#include <gmock/gmock.h>
#include <unistd.h>

#include "common/io/cluster_channel.hpp"
#include "common/io/cluster_key.hpp"
#include "sched/client/await_job.hpp"
#include "sched/client/orders.hpp"
#include "sched/client/peek_output.hpp"
#include "sched/client/questions.hpp"
#include "sched/client/submit.hpp"
#include "tests/io/common/fake_daemon.hpp"

using namespace rollcall;
using namespace rollcall::client;
using rollcall::testing::FakeDaemon;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

using End = rollcall::testing::FakeEnd<io::ClusterChannel>;
using Why = wire::BatchReply::Refusal;

class ClientLibrary : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    key_file_ = directory_ + "/cluster.key";
    ASSERT_TRUE(io::create_cluster_key(key_file_));
    key_ = *io::load_cluster_key(key_file_);
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
  }
  void TearDown() override {
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    for (const auto* end : {"", ".pub"}) unlink((key_file_ + end).c_str());
    rmdir(directory_.c_str());
  }

  FakeDaemon::Serve serve(std::function<void(End&)> talk) {
    return [this, talk = std::move(talk)](int socket) {
      End end(socket, io::ClusterChannel::accept(key_, io::random_seed()));
      talk(end);
    };
  }
  Session session(int port, int tries = 5) {
    conf::Problems problems;
    files_ = conf::lsf_conf_alone("ROLLCALL_MBD_HOST=127.0.0.1\nLSB_MBD_PORT=" + std::to_string(port) + "\n",
                                  directory_, problems);
    files_.settings.key_file = key_file_;
    auto opened = Session::open(
        files_, [this](const std::string& line) { told_.push_back(line); }, tries);
    EXPECT_TRUE(opened) << opened.error().text;
    return std::move(*opened);
  }

  static wire::FromMbatchd last() {
    wire::FromMbatchd message;
    message.mutable_reply()->set_last(true);
    return message;
  }
  static wire::FromMbatchd refusal(Why::Why why, const char* text) {
    wire::FromMbatchd message = last();
    message.mutable_reply()->mutable_refusal()->set_why(why);
    message.mutable_reply()->mutable_refusal()->set_text(text);
    return message;
  }
  static wire::FromMbatchd accepted(int id) {
    wire::FromMbatchd message = last();
    auto& job = *message.mutable_reply()->mutable_submitted()->add_jobs();
    job.set_id(id);
    job.set_queue("normal");
    return message;
  }

  std::string directory_ = "/tmp/client_library.XXXXXX", key_file_;
  io::ClusterKey key_;
  conf::ClusterFiles files_;
  std::vector<std::string> told_;
};

TEST_F(ClientLibrary, SubmitGivesTheJobsIdAndSendsTheToken) {
  FakeDaemon daemon({serve([](End& end) {
    const auto submit = end.next<wire::ToMbatchd>().request().submit();
    EXPECT_EQ(submit.token(), "again");
    EXPECT_EQ(submit.jobs(0).command(), "true");
    end.send(accepted(7));
  })});
  auto mbatchd = session(daemon.port());
  SubmitOrder order;
  order.job.set_command("true");
  order.token = "again";
  const auto job = submit(mbatchd, std::move(order));
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->id(), 7);
  EXPECT_EQ(job->queue(), "normal");
}

TEST_F(ClientLibrary, SubmitGivesARefusalAsAValue) {
  FakeDaemon daemon({serve([](End& end) {
    end.next<wire::ToMbatchd>();
    auto answer = last();
    auto& no = *answer.mutable_reply()->mutable_submitted()->add_jobs()->mutable_refusal();
    no.set_why(Why::NO_QUEUE);
    no.set_text("night: No such queue");
    end.send(answer);
  })});
  auto mbatchd = session(daemon.port());
  const auto job = submit(mbatchd, {});
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().kind, Failure::Kind::refused);
  EXPECT_EQ(job.error().refusal.why(), Why::NO_QUEUE);
  EXPECT_TRUE(stands_alone(job.error()));
}

TEST_F(ClientLibrary, SubmitTellsAnAnswerToAnotherQuestionFromAnUnknownEnd) {
  FakeDaemon daemon({serve([](End& end) {
                       end.next<wire::ToMbatchd>();
                       end.send(last());
                     }),
                     serve([](End& end) { end.next<wire::ToMbatchd>(); })});
  auto mbatchd = session(daemon.port(), 1);
  const auto garbled = submit(mbatchd, {});
  EXPECT_EQ(garbled.error().kind, Failure::Kind::garbled);
  auto again = session(daemon.port(), 1);
  const auto unknown = submit(again, {});
  EXPECT_EQ(unknown.error().kind, Failure::Kind::unknown);
}

TEST_F(ClientLibrary, JobsComeInPartsWithWhatWasAskedForThem) {
  FakeDaemon daemon({serve([](End& end) {
    EXPECT_TRUE(end.next<wire::ToMbatchd>().request().jobs().submissions());
    for (int id : {1, 2}) {
      wire::FromMbatchd part;
      auto& jobs = *part.mutable_reply()->mutable_jobs();
      if (id == 1) (*jobs.mutable_submissions())[5].set_job_name("x");
      auto& record = *jobs.add_jobs()->mutable_record();
      record.mutable_key()->set_id(id);
      record.set_submission(5);
      if (id == 2) jobs.add_unknown("9");
      part.mutable_reply()->set_last(id == 2);
      end.send(part);
    }
  })});
  auto mbatchd = session(daemon.port());
  wire::AskJobs question;
  question.set_submissions(true);
  std::vector<std::string> seen;
  const auto failure =
      ask_jobs(mbatchd, question,
               {[&](const auto& job, const auto& asked) {
                  seen.push_back(std::to_string(job.record().key().id()) + asked.job_name());
                },
                [&](const auto& part) { seen.push_back("part " + std::to_string(part.unknown_size())); }});
  EXPECT_FALSE(failure);
  EXPECT_THAT(seen, ElementsAre("1x", "part 0", "2x", "part 1"));
}

TEST_F(ClientLibrary, OrdersGiveAResultForEachJob) {
  FakeDaemon daemon({serve([](End& end) {
    EXPECT_EQ(end.next<wire::ToMbatchd>().request().signal().action(), wire::SignalJobs::STOP);
    auto answer = last();
    answer.mutable_reply()->mutable_outcomes()->add_outcomes()->set_text("Job <1> is being stopped");
    auto& failed = *answer.mutable_reply()->mutable_outcomes()->add_outcomes();
    failed.set_text("Job <2>: User permission denied");
    failed.set_failed(true);
    end.send(answer);
    end.next<wire::ToMbatchd>();
    end.send(last());
  })});
  auto mbatchd = session(daemon.port());
  wire::SignalJobs order;
  order.set_action(wire::SignalJobs::STOP);
  const auto outcomes = signal_jobs(mbatchd, order);
  ASSERT_TRUE(outcomes);
  ASSERT_EQ(outcomes->outcomes_size(), 2);
  EXPECT_FALSE(outcomes->outcomes(0).failed());
  EXPECT_TRUE(outcomes->outcomes(1).failed());
  EXPECT_EQ(signal_jobs(mbatchd, order).error().kind, Failure::Kind::no_match);
}

TEST_F(ClientLibrary, NewestJobIsTheHighestId) {
  FakeDaemon daemon({serve([](End& end) {
    EXPECT_EQ(end.next<wire::ToMbatchd>().request().jobs().filter().job_name(), "x");
    auto answer = last();
    for (int id : {3, 8, 5})
      answer.mutable_reply()->mutable_jobs()->add_jobs()->mutable_record()->mutable_key()->set_id(id);
    end.send(answer);
    end.next<wire::ToMbatchd>();
    end.send(last());
  })});
  auto mbatchd = session(daemon.port());
  wire::JobFilter filter;
  filter.set_job_name("x");
  const auto key = newest_job(mbatchd, filter);
  ASSERT_TRUE(key);
  EXPECT_EQ(key->id(), 8);
  EXPECT_EQ(newest_job(mbatchd, filter).error().text, "No matching job found");
}

TEST_F(ClientLibrary, AwaitJobHandsOverTheNewsAndTheEnd) {
  FakeDaemon daemon({serve([](End& end) {
    EXPECT_EQ(end.next<wire::ToMbatchd>().request().await_job().key().id(), 7);
    wire::FromMbatchd news;
    news.mutable_reply()->mutable_awaited()->mutable_job()->mutable_record()->set_status(wire::STATUS_RUN);
    end.send(news);
    auto over = last();
    over.mutable_reply()->mutable_awaited()->set_over(true);
    over.mutable_reply()->mutable_awaited()->mutable_job()->mutable_record()->set_exit_status(3 << 8);
    end.send(over);
  })});
  auto mbatchd = session(daemon.port());
  wire::AwaitJob job;
  job.mutable_key()->set_id(7);
  int news = 0;
  const auto waited = await_job(mbatchd, job, Until::over, [&](const auto&) { ++news; });
  ASSERT_TRUE(std::holds_alternative<JobEnd>(waited));
  EXPECT_EQ(exit_code_of(std::get<JobEnd>(waited)), 3);
  EXPECT_EQ(news, 2);
}

TEST_F(ClientLibrary, OutputOfAPendingJobIsNoMatch) {
  FakeDaemon daemon({serve([](End& end) {
    end.next<wire::ToMbatchd>();
    auto answer = last();
    auto& record = *answer.mutable_reply()->mutable_jobs()->add_jobs()->mutable_record();
    record.mutable_key()->set_id(4);
    record.set_status(wire::STATUS_PEND);
    end.send(answer);
  })});
  auto mbatchd = session(daemon.port());
  const auto found = find_output(mbatchd, {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, Failure::Kind::no_match);
  EXPECT_EQ(found.error().text, "Job <4> : Not yet started.");
}

TEST_F(ClientLibrary, AnUnreachableMbatchdIsToldToTheObserverAlone) {
  int port = 0;
  { port = FakeDaemon({}).port(); }
  auto mbatchd = session(port, 3);
  const auto parameters = ask_parameters(mbatchd);
  ASSERT_FALSE(parameters);
  EXPECT_EQ(parameters.error().kind, Failure::Kind::unreachable);
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_THAT(told_.front(), HasSubstr("Please wait ..."));
}

}  // namespace
