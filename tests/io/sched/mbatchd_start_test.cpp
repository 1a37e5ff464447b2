// How mbatchd starts jobs on hosts that know go-aheads, that freeze, and that cannot take an order.
#include "tests/io/sched/mbatchd_stage.hpp"

namespace rollcall::mbatchd::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class MbatchdStart : public Stage {
 protected:
  MbatchdStart() {
    write("lsbatch/test/configdir/lsb.params",
          "Begin Parameters\nDEFAULT_QUEUE = normal\nJOB_ACCEPT_INTERVAL = 0\nSBD_SLEEP_TIME = 1\n"
          "End Parameters\n");
  }
  FakeRes connected(const std::string& host) {
    FakeRes res(host);
    res.knows_go = true;
    EXPECT_TRUE(res.connect(port_, key_)) << log();
    return res;
  }
  wire::BatchReply::JobView view(int id) const {
    wire::BatchRequest request;
    auto& filter = *request.mutable_jobs()->mutable_filter();
    filter.add_keys()->set_id(id);
    filter.set_user("all");
    request.mutable_jobs()->set_reasons(true);
    const auto reply = ask(request);
    return reply.jobs().jobs_size() == 1 ? reply.jobs().jobs(0) : wire::BatchReply::JobView();
  }
  wire::BatchReply::BatchHost host_view(const std::string& host) const {
    wire::BatchRequest request;
    request.mutable_hosts()->add_hosts(host);
    const auto reply = ask(request);
    return reply.hosts().hosts_size() == 1 ? reply.hosts().hosts(0) : wire::BatchReply::BatchHost();
  }
};

TEST_F(MbatchdStart, AJobRunsWhenItsHostHasTheOrder) {
  expect_started();
  auto host = connected(host_);
  host.prepares = false;
  const int id = submit();
  const FakeRes::Key key{{id, 0}, 1};
  host.serve(kPatience, [&] { return host.attempt(key).ordered > 0; });
  ASSERT_TRUE(host.attempt(key).prepared) << why_pending(id) << log();
  EXPECT_EQ(status(id), wire::STATUS_PEND) << "the host has not said that it starts";
  ASSERT_GT(view(id).reasons_size(), 0);
  EXPECT_EQ(view(id).reasons(0).text(), "The job is being started");
  EXPECT_EQ(host.attempt(key).started, 0);
  host.say_prepared(key);
  host.serve(kPatience, [&] { return host.attempt(key).acknowledged; });
  EXPECT_EQ(host.attempt(key).started, 1);
  EXPECT_EQ(status(id), wire::STATUS_DONE);
  EXPECT_EQ(stop(), 0);
}

TEST_F(MbatchdStart, AFrozenHostsStartGoesToAnotherHostAndRunsOnce) {
  expect_started();
  auto frozen = connected(host_);
  frozen.serve(kPatience, [&] { return frozen.welcome().usage_interval_ms() != 0; });
  const int id = submit();
  const FakeRes::Key first{{id, 0}, 1}, second{{id, 0}, 2};
  auto other = connected("other");
  other.serve(kPatience, [&] { return other.attempt(second).acknowledged; });
  EXPECT_EQ(other.attempt(second).started, 1) << why_pending(id) << log();
  EXPECT_EQ(status(id), wire::STATUS_DONE);
  EXPECT_TRUE(host_view(host_).unreachable());
  EXPECT_FALSE(host_view("other").unreachable());
  EXPECT_THAT(log(), HasSubstr("RES of " + host_ + " is connected and does not answer"));
  // It thaws, reads what it was sent, and comes back.
  frozen.serve(kPatience, [&] { return !frozen.connected(); });
  EXPECT_TRUE(frozen.attempt(first).prepared);
  frozen.connect(port_, key_);
  frozen.serve(kPatience, [&] { return frozen.attempt(first).released; });
  EXPECT_TRUE(frozen.attempt(first).released) << log();
  EXPECT_EQ(frozen.attempt(first).started, 0);
}

// A connection on which a RES of `host` answers pings. How many it answered before it ended, or `enough`.
int answered_pings(std::uint16_t port, const io::ClusterKey& key, const std::string& host, int enough) {
  Talk talk(port, io::ClusterChannel::dial_as_daemon(key, io::random_seed()));
  const auto say = [&talk](const wire::FromRes& message) {
    wire::ToMbatchd out;
    out.set_engine(message.SerializeAsString());
    talk.say(out);
  };
  wire::FromRes hello;
  hello.mutable_hello()->set_host(host);
  hello.mutable_hello()->set_run(std::string(16, 'r'));
  hello.mutable_hello()->set_knows_go(true);
  say(hello);
  int answered = 0;
  while (answered < enough) {
    const auto message = talk.hear();
    wire::ToRes order;
    if (!message || !order.ParseFromString(message->engine())) return answered;
    if (!order.has_ping()) continue;
    wire::FromRes pong;
    pong.mutable_pong()->set_number(order.ping().number());
    say(pong);
    ++answered;
  }
  return answered;
}

// mbatchd pings three times in SBD_SLEEP_TIME and gives up a host that is silent for as long: four pings or so. Where this test is
// stalled for that time its connection ends as it should, and the next one counts.
TEST_F(MbatchdStart, AHostThatAnswersPingsStays) {
  expect_started();
  constexpr int kPings = 10;
  FakeRes older("other");
  ASSERT_TRUE(older.connect(port_, key_));
  int answered = 0;
  for (int tried = 0; tried < 20 && answered < kPings; ++tried)
    answered = answered_pings(port_, key_, host_, kPings);
  EXPECT_EQ(answered, kPings) << log();
  EXPECT_FALSE(host_view("other").unreachable()) << "it knows no Ping: TCP alone says that it lives";
}

TEST_F(MbatchdStart, AParallelJobPendsWhereOneHostCannotTakeTheOrder) {
  expect_started();
  auto first = connected(host_), full = connected("other");
  full.prepares = false;
  auto request = submit_request();
  request.mutable_submit()->mutable_jobs(0)->set_min_slots(8);
  request.mutable_submit()->mutable_jobs(0)->set_max_slots(8);
  request.mutable_submit()->mutable_jobs(0)->set_resreq("span[ptile=4]");
  const int id = ask(request).submitted().jobs(0).id();
  const FakeRes::Key key{{id, 0}, 1};
  for (int i = 0; i < 400 && (first.attempt(key).ordered == 0 || full.attempt(key).ordered == 0); ++i) {
    first.serve(milliseconds(50), [&] { return first.attempt(key).ordered > 0; });
    full.serve(milliseconds(50), [&] { return full.attempt(key).ordered > 0; });
  }
  ASSERT_GT(full.attempt(key).ordered, 0) << why_pending(id) << log();
  FakeRes& other = first.attempt(key).order.hosts_size() > 0 ? full : first;
  other.say_not_prepared(key, "No space left on device");
  FakeRes& runs = &other == &full ? first : full;
  runs.serve(kPatience, [&] { return runs.attempt(key).released; });
  EXPECT_TRUE(runs.attempt(key).released) << log();
  EXPECT_EQ(runs.attempt(key).started, 0);
  EXPECT_EQ(status(id), wire::STATUS_PEND);
  EXPECT_THAT(view(id).record().start_failure(), HasSubstr("No space left on device"));
  const auto hosts = host_view(&other == &full ? "other" : host_);
  EXPECT_EQ(hosts.words().at("trouble"), "No space left on device");
}

}  // namespace
}  // namespace rollcall::mbatchd::test
