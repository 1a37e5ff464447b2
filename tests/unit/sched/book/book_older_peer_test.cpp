// Orders that the release of another cluster does not know: the user is told, and no command waits for their answer.
#include "sched/policy/values/elsewhere.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

class BookOlderPeerTest : public BookTest {
 protected:
  using Unknown = HostLedger::Unknown;
  JobKey in_east(wire::JobStatus status) {
    hello("@east");
    const JobKey key{submit(plain_job()), 0};
    event::Dispatched event;
    event.placement.hosts.push_back({HostId::whole_cluster("east"), 1});
    event.forwarded.emplace().set_cluster("east");
    event.forwarded->set_queue("guests");
    effects = book->hosts().dispatch(key, event, now);
    report::Elsewhere told{attempt(key), {}};
    told.job.mutable_key()->set_id(55);
    told.job.set_queue("guests");
    told.job.set_status(status);
    tells("@east", told);
    return key;
  }
  std::shared_ptr<ModifyWork> bmod(JobKey key) {
    wire::ModifyJobs change;
    change.mutable_changed()->set_job_name("another");
    change.add_fields(wire::Submission::kJobNameFieldNumber);
    set_key(*change.mutable_filter()->add_keys(), key);
    return book->commands().begin_modify(change, kAnn);
  }
  std::shared_ptr<SwitchWork> bswitch(JobKey key) {
    wire::SwitchJobs change;
    change.set_queue("special");
    set_key(*change.mutable_filter()->add_keys(), key);
    return book->commands().begin_switch(change, kAnn);
  }
};

const char* const kNotBack = "Job waits in cluster east, whose release is older: it cannot be asked back";

TEST_F(BookOlderPeerTest, ABmodThatWaitsForARecallIsAnsweredWhenThatIsNotKnown) {
  const JobKey key = in_east(wire::STATUS_PEND);
  const auto work = bmod(key);
  EXPECT_TRUE(book->commands().modify_some(*work, 100, now).waits);
  EXPECT_TRUE(book->commands().modify_some(*work, 100, now).waits) << "not answered yet";
  book->hosts().not_known("@east", Unknown::recalls);
  const auto answered = book->commands().modify_some(*work, 100, now);
  EXPECT_FALSE(answered.waits);
  EXPECT_THAT(answer(answered), ElementsAre(HasSubstr(kNotBack)));
  EXPECT_EQ(job(key).asked->job_name(), "");
  EXPECT_TRUE(is_elsewhere(job(key).record)) << "it stays there";
}

TEST_F(BookOlderPeerTest, ABswitchToo) {
  const JobKey key = in_east(wire::STATUS_PEND);
  const auto work = bswitch(key);
  EXPECT_TRUE(book->commands().switch_some(*work, 100, now).waits);
  book->hosts().not_known("@east", Unknown::recalls);
  EXPECT_THAT(answer(book->commands().switch_some(*work, 100, now)), ElementsAre(HasSubstr(kNotBack)));
  EXPECT_EQ(job(key).record.queue(), "normal");
}

TEST_F(BookOlderPeerTest, TheNextCommandAsksForNoRecallUntilTheClusterConnectsAgain) {
  const JobKey key = in_east(wire::STATUS_PEND);
  book->hosts().not_known("@east", Unknown::recalls);
  EXPECT_THAT(answer(book->commands().modify_some(*bmod(key), 100, now)), ElementsAre(HasSubstr(kNotBack)));
  EXPECT_THAT(orders(effects), IsEmpty());
  book->hosts().host_gone("@east", now);
  const auto again = book->commands().modify_some(*bmod(key), 100, now);
  EXPECT_TRUE(again.waits);
  EXPECT_THAT(orders(again.effects), ElementsAre(HasSubstr("OrderRelease")));
}

TEST_F(BookOlderPeerTest, SignalsThatAreNotKnownAreRefusedWithTheReason) {
  const JobKey key = in_east(wire::STATUS_RUN);
  book->hosts().not_known("@east", Unknown::signals);
  for (const auto action : {Act::KILL, Act::STOP, Act::RESUME, Act::REMOVE, Act::REQUEUE})
    EXPECT_THAT(ask(key, action),
                ElementsAre(HasSubstr(
                    "Job is in cluster east, whose release is older: it does not know this order")));
  EXPECT_THAT(orders(effects), IsEmpty());
  EXPECT_FALSE(job(key).record.kill_asked());
  book->hosts().host_gone("@east", now);
  ask(key, Act::KILL);
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("OrderSignal")));
}

}  // namespace
}  // namespace rollcall::sched::book
