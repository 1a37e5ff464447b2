// mbatchd with real files, clients' messages and RES's that we play: what is acknowledged is kept, and every job starts once.
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "tests/io/sched/mbatchd_stage.hpp"

namespace rollcall::mbatchd::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using Control = wire::ControlBatch;
using Refusal = wire::BatchReply::Refusal;
using std::chrono::milliseconds;

FakeRes::Key key_of(int id, std::uint64_t attempt = 1, int index = 0) { return {{id, index}, attempt}; }

wire::BatchRequest control_request(Control::Action action) {
  wire::BatchRequest request;
  request.mutable_control()->set_action(action);
  return request;
}

using Mbatchd = Stage;

TEST_F(Mbatchd, AJobIsVisibleToEverybodyAfterTheReply) {
  expect_started();
  const auto first = client(), second = client();
  wire::BatchRequest all;
  all.mutable_jobs()->mutable_filter()->set_user("all");
  for (int round = 1; round <= 20; ++round) {
    const auto reply = ask(*first, submit_request("job " + std::to_string(round)));
    ASSERT_EQ(reply.submitted().jobs_size(), 1) << reply.refusal().text();
    EXPECT_EQ(reply.submitted().jobs(0).id(), round);
    EXPECT_EQ(reply.submitted().jobs(0).queue(), "normal");
    EXPECT_EQ(ask(*second, all).jobs().jobs_size(), round);
  }
}

TEST_F(Mbatchd, AJobGoesThroughARes) {
  expect_started();
  const auto host = res(host_);
  const int id = submit("sleep 1");
  ASSERT_GT(id, 0);
  host->serve(kPatience, [&] { return host->attempt(key_of(id)).acknowledged; });
  const auto& attempt = host->attempt(key_of(id));
  ASSERT_TRUE(attempt.acknowledged) << why_pending(id) << log();
  EXPECT_EQ(attempt.started, 1);
  EXPECT_EQ(attempt.order.submission().command(), "sleep 1");
  EXPECT_EQ(attempt.order.submission().uid(), geteuid());
  EXPECT_EQ(attempt.order.submission().environment(0), "HOME=/");
  EXPECT_EQ(attempt.order.hosts(0).name(), host_);
  EXPECT_EQ(status(id), wire::STATUS_DONE);
  EXPECT_EQ(stop(), 0);
  const std::string events = file(share() + "/logdir/lsb.events");
  for (const char* word : {"\"JOB_NEW\"", "\"JOB_START\"", "\"JOB_STATUS\"", "\"MBD_START\"", "\"MBD_DIE\""})
    EXPECT_THAT(events, HasSubstr(word));
  EXPECT_THAT(file(share() + "/logdir/lsb.acct"), HasSubstr("\"JOB_FINISH\""));
}

TEST_F(Mbatchd, ThousandsOfJobsStream) {
  expect_started();
  const auto talk = client();
  constexpr int kJobs = 5000;
  for (int part = 0; part < 10; ++part) {
    wire::BatchRequest many;
    for (int i = 0; i < kJobs / 10; ++i)
      *many.mutable_submit()->add_jobs() = submit_request().submit().jobs(0);
    ASSERT_EQ(ask(*talk, many).submitted().jobs_size(), kJobs / 10);
  }
  wire::BatchRequest all;
  all.mutable_jobs()->mutable_filter()->set_user("all");
  EXPECT_EQ(ask(*talk, all).jobs().jobs_size(), kJobs);
  kill_hard();
  expect_started();
  EXPECT_EQ(ask(all).jobs().jobs_size(), kJobs);
}

// Killed between every pair of steps of a job's way.
class Killed : public Stage, public testing::WithParamInterface<int> {};

TEST_P(Killed, EveryStepHappensOnce) {
  expect_started();
  auto host = res(host_);
  host->runs_at_once = false;
  const auto restart = [&](int step) {
    if (step != GetParam()) return;
    kill_hard();
    expect_started();
    ASSERT_TRUE(host->connect(port_, key_)) << log();
  };
  // Its disk has the term that greeted it: a host that has seen none has lost its disk, and its jobs.
  host->serve(kPatience, [&] { return host->term() > 0; });
  const int id = submit();
  ASSERT_GT(id, 0);
  restart(0);
  const auto& attempt = host->attempt(key_of(id));
  host->serve(kPatience, [&] { return attempt.ordered > 0; });
  ASSERT_EQ(attempt.started, 1) << log();
  restart(1);
  host->say_running(key_of(id));
  restart(2);
  if (GetParam() == 3) kill_hard();  // its end is told to nobody
  host->end(key_of(id), 3 << 8);
  if (GetParam() == 3) {
    expect_started();
    ASSERT_TRUE(host->connect(port_, key_));
  }
  if (GetParam() == 4) {  // its end may have been heard, and its acknowledgement is lost
    kill_hard();
    expect_started();
    ASSERT_TRUE(host->connect(port_, key_));
  }
  host->serve(kPatience, [&] { return attempt.acknowledged; });
  EXPECT_TRUE(attempt.acknowledged) << log();
  restart(5);
  EXPECT_EQ(status(id), wire::STATUS_EXIT) << log();
  EXPECT_EQ(attempt.started, 1);
  EXPECT_EQ(host->attempts().size(), 1u) << "one attempt";
  EXPECT_EQ(host->refused_terms(), 0);
}
INSTANTIATE_TEST_SUITE_P(Steps, Killed, testing::Range(0, 6));

// Submissions, kills at any moment, a RES that ends jobs as they come: what was acknowledged runs once and is known.
TEST_F(Mbatchd, KilledAgainAndAgain) {
  std::mt19937 random(4711);
  expect_started();
  auto host = res(host_);
  std::set<int> acknowledged;
  for (int round = 0; round < 8; ++round) {
    const auto talk = client();
    wire::ToMbatchd message;
    *message.mutable_request() = submit_request();
    const int jobs = 1 + static_cast<int>(random() % 30);
    for (int i = 0; i < jobs; ++i) talk->say(message);
    const int heard = static_cast<int>(random() % static_cast<unsigned>(jobs + 1));
    for (int i = 0; i < heard; ++i) {
      const auto reply = talk->hear();
      ASSERT_TRUE(reply) << log();
      acknowledged.insert(reply->reply().submitted().jobs(0).id());
    }
    host->serve(milliseconds(random() % 20));
    kill_hard();
    expect_started();
    ASSERT_TRUE(host->connect(port_, key_)) << log();
  }
  const auto all_over = [&] {
    for (const int id : acknowledged)
      if (!host->attempt(key_of(id)).acknowledged) return false;
    return true;
  };
  host->serve(kPatience, all_over);
  EXPECT_TRUE(all_over()) << log();
  for (const auto& [key, attempt] : host->attempts()) {
    EXPECT_LE(attempt.started, 1);
    EXPECT_EQ(key.second, 1u) << "no second attempt";
  }
  for (const int id : acknowledged) EXPECT_EQ(status(id), wire::STATUS_DONE) << id;
  // Every acknowledged job has one JOB_NEW.
  ASSERT_EQ(stop(), 0);
  const std::string events = file(share() + "/logdir/lsb.events");
  for (const int id : acknowledged) {
    std::size_t count = 0;
    std::istringstream lines(events);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string kind, version, time, number;
      words >> kind >> version >> time >> number;
      count += kind == "\"JOB_NEW\"" && number == std::to_string(id) ? 1 : 0;
    }
    EXPECT_EQ(count, 1u) << "JOB_NEW of " << id;
  }
}

TEST_F(Mbatchd, AStoreThatWasPutBackGivesNoOrders) {
  expect_started();
  auto host = res(host_);
  host->serve(kPatience, [&] { return host->term() > 0; });
  ASSERT_EQ(host->term(), 1u);
  ASSERT_EQ(stop(), 0);
  std::filesystem::copy(share() + "/jobs.db", directory_ + "/old.db");
  expect_started();
  ASSERT_TRUE(host->connect(port_, key_));
  host->serve(kPatience, [&] { return host->term() == 2; });
  ASSERT_EQ(stop(), 0);
  expect_started();  // term 3
  ASSERT_TRUE(host->connect(port_, key_));
  host->serve(kPatience, [&] { return host->term() == 3; });
  kill_hard();
  std::filesystem::remove(share() + "/jobs.db-wal");
  std::filesystem::copy_file(directory_ + "/old.db", share() + "/jobs.db",
                             std::filesystem::copy_options::overwrite_existing);
  expect_started();  // term 2 again
  const int id = submit();
  ASSERT_GT(id, 0);
  host->connect(port_, key_);
  host->serve(milliseconds(300));
  EXPECT_FALSE(host->connected()) << "its link is closed";
  EXPECT_EQ(host->attempts().size(), 0u);
  EXPECT_EQ(status(id), wire::STATUS_PEND);
  EXPECT_THAT(log(), HasSubstr("has had orders of term 3, and this mbatchd's is 2"));
  EXPECT_THAT(log(), HasSubstr("\"badmin hforget " + host_ + "\" ends the jobs that this host has"));
}

TEST_F(Mbatchd, AResOfAnUnknownHostIsClosed) {
  expect_started();
  FakeRes unknown("nowhere");
  unknown.connect(port_, key_);
  unknown.serve(kPatience, [&] { return !unknown.connected(); });
  EXPECT_FALSE(unknown.connected());
  EXPECT_THAT(log(), HasSubstr("found a RES of \"nowhere\", which is no server of this cluster"));
}

TEST_F(Mbatchd, ANewConnectionOfAHostTakesThePlaceOfTheOld) {
  expect_started();
  auto first = res(host_);
  first->serve(kPatience, [&] { return first->term() > 0; });
  auto second = res(host_);
  first->serve(kPatience, [&] { return !first->connected(); });
  EXPECT_FALSE(first->connected());
  const int id = submit();
  second->serve(kPatience, [&] { return second->attempt(key_of(id)).acknowledged; });
  EXPECT_TRUE(second->attempt(key_of(id)).acknowledged) << log();
}

TEST_F(Mbatchd, WaitingClientIsToldTheEndOfItsJob) {
  expect_started();
  auto host = res(host_);
  host->runs_at_once = false;
  const int id = submit();
  const auto talk = client();
  wire::ToMbatchd await;
  await.mutable_request()->mutable_await_job()->mutable_key()->set_id(id);
  talk->say(await);
  ASSERT_TRUE(talk->hear());
  host->serve(kPatience, [&] { return host->attempt(key_of(id)).ordered > 0; });
  host->say_running(key_of(id));
  host->end(key_of(id), 7 << 8);
  std::optional<wire::FromMbatchd> last;
  while ((last = talk->hear()) && !last->reply().last()) continue;
  ASSERT_TRUE(last) << log();
  EXPECT_TRUE(last->reply().awaited().over());
  EXPECT_EQ(last->reply().awaited().job().record().exit_status(), 7 << 8);
}

TEST_F(Mbatchd, BrokenFilesAreNotTaken) {
  expect_started();
  write("lsbatch/test/configdir/lsb.queues", "Begin Queue\nQUEUE_NAME = torn\n");
  const auto refused = ask(control_request(Control::RECONFIG));
  ASSERT_TRUE(refused.has_refusal());
  EXPECT_THAT(refused.refusal().text(), HasSubstr("lsb.queues:"));
  EXPECT_GT(submit(), 0) << "the former files stay in force";
  write_queues();
  EXPECT_FALSE(ask(control_request(Control::RECONFIG)).has_refusal()) << log();
}

TEST_F(Mbatchd, ASecondOneIsRefused) {
  expect_started();
  struct Second : Stage {
    void TestBody() override {}
    using Stage::directory_, Stage::start, Stage::store_directory_, Stage::write_lsf_conf;
  } second;
  second.store_directory_ = store_directory_;
  second.write_lsf_conf();
  EXPECT_THAT(second.start(), HasSubstr("another mbatchd runs"));
}

TEST_F(Mbatchd, RunsOnItsHostOnly) {
  write_lsf_conf("ROLLCALL_MBD_HOST=other");
  EXPECT_THAT(start(), HasSubstr("runs on other"));
}

TEST_F(Mbatchd, AControlIsForAdministrators) {
  expect_started();
  const auto nobody = stranger();
  ASSERT_TRUE(nobody->open());
  const auto refused = ask(*nobody, submit_request());
  EXPECT_EQ(refused.refusal().why(), Refusal::NOT_ALLOWED);
  EXPECT_EQ(ask(*nobody, control_request(Control::SHUTDOWN)).refusal().why(), Refusal::NOT_ALLOWED);
  EXPECT_GT(submit(), 0);
}

TEST_F(Mbatchd, HostileClientsHarmNobody) {
  expect_started();
  Talk garbage(port_, io::ClusterChannel::dial_as_owner(key_, io::random_seed()));
  garbage.say_bytes(std::string(100'000, 'x'));
  EXPECT_FALSE(garbage.hear(milliseconds(5000)));
  EXPECT_TRUE(garbage.ended());

  const auto of_a_daemon = client();
  wire::FromRes said;
  said.mutable_hello()->set_host(host_);
  wire::ToMbatchd hello;
  hello.set_engine(said.SerializeAsString());
  of_a_daemon->say(hello);
  EXPECT_FALSE(of_a_daemon->hear(milliseconds(5000))) << "a client is no RES";

  const auto nobody = stranger();
  wire::ToMbatchd part;
  part.set_part(std::string(1000, 'p'));
  nobody->say(part);
  EXPECT_FALSE(nobody->hear(milliseconds(5000))) << "an unauthenticated client may send no large request";

  const auto endless = client();
  part.set_part(std::string(60'000, 'p'));
  for (int i = 0; i < 300 && !endless->ended(); ++i) endless->say(part);
  EXPECT_FALSE(endless->hear(milliseconds(5000)));

  const auto silent = client();  // has proved itself, and says nothing more
  std::vector<std::unique_ptr<Talk>> many;
  for (int i = 0; i < 50; ++i) many.push_back(client());
  wire::ToMbatchd ask_all;
  ask_all.mutable_request()->mutable_jobs()->mutable_filter()->set_user("all");
  for (int i = 0; i < 1000; ++i) many[0]->say(ask_all);  // and reads nothing

  EXPECT_GT(submit(), 0) << log();
}

void say_in_parts(Talk& talk, const wire::BatchRequest& request) {
  const std::string bytes = request.SerializeAsString();
  wire::ToMbatchd message;
  for (std::size_t from = 0; from < bytes.size(); from += 50'000) {
    const std::string piece = bytes.substr(from, 50'000);
    if (from + 50'000 < bytes.size())
      message.set_part(piece);
    else
      message.set_last_part(piece);
    talk.say(message);
  }
}

TEST_F(Mbatchd, LargeRequestsComeInParts) {
  expect_started();
  auto request = submit_request();
  request.mutable_submit()->mutable_jobs(0)->set_script(std::string(300'000, 's'));
  const auto talk = client();
  say_in_parts(*talk, request);
  const auto reply = talk->hear();
  ASSERT_TRUE(reply) << log();
  EXPECT_GT(reply->reply().submitted().jobs(0).id(), 0);
  request.mutable_submit()->mutable_jobs(0)->set_script(std::string(950'000, 's'));
  say_in_parts(*talk, request);
  const auto refused = talk->hear();
  ASSERT_TRUE(refused) << log();
  EXPECT_THAT(refused->reply().refusal().text(), HasSubstr("expected at most"));
}

TEST_F(Mbatchd, TellsWhyAJobPends) {
  expect_started();
  const int id = submit();
  EXPECT_THAT(why_pending(id), Not(testing::IsEmpty())) << log();
  auto foreign = submit_request();
  foreign.mutable_submit()->mutable_jobs(0)->set_from_type("");
  const auto host = res(host_);
  const auto reply = ask(foreign);
  EXPECT_THAT(why_pending(reply.submitted().jobs(0).id()), Not(testing::IsEmpty())) << log();
}

TEST_F(Mbatchd, AFullDiskRefusesJobsAndLosesNone) {
  if (geteuid() != 0) GTEST_SKIP() << "mounting a small tmpfs needs root";
  const std::string small = directory_ + "/small";
  std::filesystem::create_directory(small);
  if (mount("rollcall-mbatchd", small.c_str(), "tmpfs", 0, "size=2m,mode=0755") != 0)
    GTEST_SKIP() << "no tmpfs can be mounted here: " << strerror(errno);
  store_directory_ = small;
  write_lsf_conf();
  expect_started();
  { std::ofstream(small + "/ballast") << std::string(500 << 10, 'b'); }
  auto request = submit_request();
  request.mutable_submit()->mutable_jobs(0)->add_environment("A=" + std::string(40'000, 'x'));
  const auto talk = client();
  std::vector<int> accepted;
  wire::BatchReply reply;
  for (int i = 0; i < 200; ++i) {
    reply = ask(*talk, request);
    ASSERT_EQ(reply.submitted().jobs_size(), 1);
    if (reply.submitted().jobs(0).has_refusal()) break;
    accepted.push_back(reply.submitted().jobs(0).id());
  }
  ASSERT_TRUE(reply.submitted().jobs(0).has_refusal());
  EXPECT_EQ(reply.submitted().jobs(0).refusal().why(), Refusal::DISK_FULL);
  ASSERT_FALSE(accepted.empty());
  wire::BatchRequest all;
  all.mutable_jobs()->mutable_filter()->set_user("all");
  EXPECT_EQ(ask(all).jobs().jobs_size(), static_cast<int>(accepted.size())) << "the refused one is not there";
  // The last byte too: a kill is small, so some fit where the refused job was written. The first that does not is done in memory,
  // said to wait, and saved when there is room.
  { std::ofstream(small + "/rest") << std::string(2 << 20, 'r') << std::flush; }
  std::vector<int> victims;
  wire::BatchReply refused;
  while (!refused.has_refusal() && !accepted.empty()) {
    victims.push_back(accepted.back());
    accepted.pop_back();
    wire::BatchRequest kill;
    kill.mutable_signal()->mutable_filter()->add_keys()->set_id(victims.back());
    refused = ask(kill);
  }
  EXPECT_EQ(refused.refusal().why(), Refusal::DISK_FULL) << log();
  EXPECT_THAT(refused.refusal().text(),
              HasSubstr("The disk of mbatchd is full; it is done as soon as mbatchd can store it"));
  // Who asks while the store is known to fail is told the same.
  ASSERT_FALSE(accepted.empty());
  victims.push_back(accepted.back());
  accepted.pop_back();
  wire::BatchRequest next;
  next.mutable_signal()->mutable_filter()->add_keys()->set_id(victims.back());
  EXPECT_EQ(ask(next).refusal().why(), Refusal::DISK_FULL) << log();
  EXPECT_FALSE(accepted.empty());
  std::filesystem::remove(small + "/rest");
  std::filesystem::remove(small + "/ballast");
  auto host = res(host_);
  const auto all_over = [&] {
    for (const int id : accepted)
      if (!host->attempt(key_of(id)).acknowledged) return false;
    return true;
  };
  host->serve(kPatience, all_over);
  EXPECT_TRUE(all_over()) << log();
  EXPECT_GT(submit(), 0) << log();
  for (const int victim : victims) {
    EXPECT_EQ(status(victim), wire::STATUS_EXIT);
    EXPECT_EQ(host->attempts().count(key_of(victim)), 0u) << "it was killed before there was a host";
  }
  ASSERT_EQ(stop(), 0);
  EXPECT_EQ(umount(small.c_str()), 0);
}

}  // namespace
}  // namespace rollcall::mbatchd::test
