// A host's part of a job on hosts of several clusters: who has the job's key may run its tasks, and RES says when nothing of it is left.
#include <signal.h>
#include <sys/stat.h>

#include "common/io/job_key.hpp"
#include "tests/io/res/res_stream_stage.hpp"

namespace rollcall::res::test {
namespace {

using testing::HasSubstr;

class ResSpans : public ResStream {
 protected:
  static std::string job_key() { return std::string(32, 'j'); }
  static std::string task_key(std::string key) { return key.replace(0, 1, "t"); }
  void expect_span(int id, const std::string& key = job_key()) {
    wire::ToRes order;
    auto& expect = *order.mutable_expect();
    *expect.mutable_job() = job("", id).job();
    expect.set_user(job("").submission().user());
    expect.set_uid(geteuid());
    auto& span = *expect.mutable_span();
    span.set_key(key);
    span.set_task_key(task_key(key));
    span.set_relay(io::job_relay(key));
    for (const char* name : {"n1", "n2"}) {
      auto& place = *span.add_places();
      place.set_host(name);
      place.set_slots(2);
      place.add_addresses("127.0.0.1");
      place.set_port(static_cast<std::uint32_t>(res_port_));
    }
    send(std::move(order));
  }
  void wait_for_prepared(int id) {
    wait_until("JobsPrepared of " + std::to_string(id), [&] {
      return find([id](const auto& told) {
               for (const auto& job : told.prepared().jobs())
                 if (job.key().id() == id) return true;
               return false;
             }) != nullptr;
    });
  }
  // As blaunch on any host of the job; the job that the task names does not count.
  io::FromRes<wire::StreamPlace> run_with(const std::string& key, const wire::RunTask& task) {
    return run_with_task_key(task_key(key), task);
  }
  io::FromRes<wire::StreamPlace> run_with_task_key(const std::string& key, const wire::RunTask& task) {
    const io::ResClient::SpanHost host{host_, {"127.0.0.1"}, res_port_, io::job_ticket(key)};
    return ask([&](const io::ResClient& res) { return res.run_task(host, task); });
  }
  void release(int id) {
    wire::ToRes order;
    *order.mutable_release()->mutable_job() = job("", id).job();
    order.mutable_release()->set_tell(true);
    send(std::move(order));
  }
  bool gone(int id) const {
    return find([id](const auto& told) {
             for (const auto& job : told.gone().jobs())
               if (job.key().id() == id) return true;
             return false;
           }) != nullptr;
  }
};

TEST_F(ResSpans, TheKeyOfTheJobRunsItsTasksAndNothingElse) {
  start_res();
  EXPECT_TRUE(hellos_.back().knows_spans());
  EXPECT_GT(hellos_.back().addresses_size(), 0);
  expect_span(1);
  expect_span(2, std::string(32, 'k'));
  wait_for_prepared(1);
  wait_for_prepared(2);
  auto asked = task(
      "stat -c '%a %U' ${LSB_DJOB_HOSTFILE%/*}/key ${LSB_DJOB_HOSTFILE%/*}/span; cat $LSB_DJOB_HOSTFILE; "
      "env; echo end");
  asked.mutable_job()->mutable_key()->set_id(2);
  const auto place = run_with(job_key(), asked);
  ASSERT_TRUE(place) << place.error().text;
  EXPECT_EQ(place->host(), "127.0.0.1");
  Client client(place->port(), place->key());
  client.begin(false);
  wait_for_output(client, "end");
  EXPECT_THAT(client.output, HasSubstr("/1.0.1/")) << "the job whose key it is";
  const std::string mode = "600 " + job("").submission().user() + "\n";
  EXPECT_THAT(client.output, HasSubstr(mode + mode + "n1\nn1\nn2\nn2\n"));
  EXPECT_THAT(client.output, HasSubstr("ROLLCALL_RELAY=rollcall/span/" + io::job_relay(job_key())));
  EXPECT_THAT(client.output, testing::Not(HasSubstr("6a6a6a6a"))) << "the key is in no environment";

  EXPECT_FALSE(run_with_task_key(job_key(), asked)) << "the job's key is on hosts of all its clusters";
  const auto stranger = run_with(std::string(32, 'x'), asked);
  ASSERT_FALSE(stranger);
  EXPECT_TRUE(stranger.error().again)
      << "a part whose order is on its way is asked again: " << stranger.error().text;
}

TEST_F(ResSpans, AnotherJobMayNotHaveTheSameKey) {
  start_res();
  expect_span(1);
  wait_for_prepared(1);
  expect_span(2);
  wait_until("NotPrepared", [&] {
    return find([](const auto& told) { return told.not_prepared().job().key().id() == 2; }) != nullptr;
  });
}

TEST_F(ResSpans, IsGoneWhenNothingOfItIsLeft) {
  start_res();
  expect_span(1);
  wait_for_prepared(1);
  const auto place = run_with(job_key(), task("trap '' HUP TERM; echo $$ > task; exec sleep 1000"));
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_until("the task to start", [&] {
    client.turn();
    return client.pid > 0;
  });
  const pid_t pid = std::stoi(wait_for_file("task"));
  kill_res(SIGKILL);
  start_res();
  wait_for_hello(2);
  const auto again = run_with(job_key(), task("true"));
  EXPECT_TRUE(again) << "a RES that was restarted knows the key: " << (again ? "" : again.error().text);
  EXPECT_FALSE(gone(1));
  release(1);
  wait_until("JobsGone", [&] { return gone(1); });
  EXPECT_FALSE(lives(pid));
  EXPECT_FALSE(run_with(job_key(), task("true")));
  release(7);
  wait_until("JobsGone of a job that is not known", [&] { return gone(7); });
}

// Guard and shepherd are killed together, and the next RES finds their processes: the slots are not free before these have ended.
TEST_F(ResSpans, IsNotGoneWhileWhatItsGuardLeftIsCleared) {
  start_res();
  expect_span(1);
  wait_for_prepared(1);
  const auto place = run_with(job_key(), task("trap '' HUP TERM; echo $$ > task; exec sleep 1000"));
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_until("the task to start", [&] {
    client.turn();
    return client.pid > 0;
  });
  const pid_t pid = std::stoi(wait_for_file("task"));
  const pid_t guard = guard_of(), shepherd = shepherd_of();
  kill_res(SIGKILL);
  kill(guard, SIGSTOP);  // so that neither sees the other's end
  kill(shepherd, SIGKILL);
  kill(guard, SIGKILL);
  start_res();
  wait_for_hello(2);
  release(1);
  wait_until("JobsGone", [&] { return gone(1); });
  EXPECT_FALSE(lives(pid));
}

}  // namespace
}  // namespace rollcall::res::test
