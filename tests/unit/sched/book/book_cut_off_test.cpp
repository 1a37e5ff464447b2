// What is said of orders for jobs in a cluster that is not connected, and of jobs that are given back.
#include <malloc.h>

#include "sched/policy/book/forwarded_jobs.hpp"
#include "sched/policy/jobs/two_sided_stop.hpp"
#include "sched/policy/values/elsewhere.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

std::vector<wire::JobEvent> events(const Effects& effects) {
  std::vector<wire::JobEvent> found;
  for (const auto& effect : effects)
    if (const auto* recorded = std::get_if<effect::RecordEvent>(&effect)) found.push_back(recorded->event);
  return found;
}

// Notes of the last effects: lines of bhist that change no state.
std::vector<std::string> notes_in(const Effects& effects) {
  std::vector<std::string> found;
  for (const auto& event : events(effects))
    if (event.has_status() && event.status().status() == wire::STATUS_NULL)
      found.push_back(event.status().why());
  return found;
}

class CutOff : public BookTest {
 protected:
  // A job that runs in east.
  CutOff() {
    hello("@east");
    key = {submit(plain_job()), 0};
    event::Dispatched event;
    event.placement.hosts.push_back({HostId::whole_cluster("east"), 1});
    event.forwarded.emplace().set_cluster("east");
    event.forwarded->set_queue("guests");
    effects = book->hosts().dispatch(key, event, now);
    tell(wire::STATUS_RUN);
  }
  void tell(wire::JobStatus status, std::uint32_t reasons = 0) {
    report::Elsewhere told{{key, 1}, {}};
    told.job.mutable_key()->set_id(70);
    told.job.set_status(status);
    told.job.set_suspend_reasons(reasons);
    told.job.set_signal_number(job(key).record.signal_number());
    tells("@east", told);
  }
  void lose() { effects = book->hosts().host_gone("@east", now); }
  std::string waits() const {
    return "Job <" + text(key) + ">: the order waits until cluster <east> is connected";
  }
  std::vector<std::string> notes() const { return notes_in(effects); }

  JobKey key;
};

TEST_F(CutOff, OrdersAreSaidToWait) {
  EXPECT_THAT(ask(key, Act::STOP), ElementsAre("Job <" + text(key) + "> is being stopped"))
      << "it is connected";
  EXPECT_THAT(notes(), IsEmpty());
  tell(wire::STATUS_RUN);
  lose();
  EXPECT_THAT(ask(key, Act::STOP), ElementsAre("Job <" + text(key) + "> is being stopped", waits()));
  EXPECT_EQ(status(key), wire::STATUS_RUN) << "as it is known to be";
  EXPECT_THAT(notes(), ElementsAre("The order to stop the job waits until cluster <east> is connected"));
  EXPECT_THAT(ask(key, Act::STOP), ElementsAre("Job <" + text(key) + "> is being stopped", waits()));
  EXPECT_THAT(notes(), IsEmpty()) << "once";
  EXPECT_THAT(ask(key, Act::RESUME), ElementsAre("Job <" + text(key) + "> is being resumed", waits()));
  EXPECT_THAT(ask(key, Act::KILL), ElementsAre("Job <" + text(key) + "> is being terminated", waits()));
  EXPECT_THAT(notes(), ElementsAre("The order to kill the job waits until cluster <east> is connected"));
}

TEST_F(CutOff, AJobThatWaitsThereIsNotShownAsStopped) {
  tell(wire::STATUS_PEND);
  lose();
  EXPECT_THAT(ask(key, Act::STOP), ElementsAre("Job <" + text(key) + "> is being stopped", waits()));
  EXPECT_EQ(shown_status(job(key).record), wire::STATUS_PEND);
  hello("@east", {{{key, 1}, report::Held::State::starting, true}});
  tell(wire::STATUS_PSUSP, wire::SUSPEND_USER);
  EXPECT_EQ(shown_status(job(key).record), wire::STATUS_PSUSP);
}

// Orders of this cluster are there those of the job's owner.
TEST_F(CutOff, AResumeIsRefusedWhereAnAdministratorThereHasStoppedTheJob) {
  for (const auto there : {wire::STATUS_USUSP, wire::STATUS_PSUSP}) {
    if (there == wire::STATUS_PSUSP) tell(wire::STATUS_PEND);
    tell(there, wire::SUSPEND_ADMIN);
    for (const auto& who : {kAnn, kRoot})
      EXPECT_THAT(
          ask(key, Act::RESUME, who),
          ElementsAre("! Job <" + text(key) +
                      ">: Job was suspended by an administrator of cluster east, and is resumed there"));
    EXPECT_THAT(orders(effects), IsEmpty());
  }
}

class CutOffLent : public BookTest {
 protected:
  // On borrowed hosts of east, or on hosts of ours with a part there.
  void run_on(const std::vector<std::string>& hosts) {
    for (const auto& host : hosts) hello(host);
    key = {submit(plain_job()), 0};
    dispatch(key, hosts);
    runs(key);
  }
  // East has carried out all orders, and says how the job stands.
  void carried_out() { tells("b1@east", report::CarriedOut{attempt(key), job(key).record.signal_number()}); }
  void lose() { effects = book->hosts().host_gone("b1@east", now); }
  void find() { hello("b1@east", {{attempt(key), report::Held::State::starting, true}}); }
  std::string being(const std::string& done) const { return "Job <" + text(key) + "> is being " + done; }
  std::string waits() const {
    return "Job <" + text(key) + ">: the order waits until cluster <east> is connected";
  }
  std::vector<std::string> waiting() const {
    return waiting_orders(job(key).record, ordered_clusters(job(key).record).at(0));
  }

  JobKey key;
};

TEST_F(CutOffLent, OrdersAreCarriedOutAtOnceWhileTheClusterIsConnected) {
  run_on({"b1@east"});
  EXPECT_THAT(ask(key, Act::STOP), ElementsAre(being("stopped")));
  EXPECT_EQ(status(key), wire::STATUS_USUSP);
  EXPECT_THAT(notes_in(effects), IsEmpty());
  EXPECT_THAT(ask(key, Act::RESUME), ElementsAre(being("resumed")));
  EXPECT_EQ(status(key), wire::STATUS_RUN);
}

TEST_F(CutOffLent, TheKnownStateStaysUntilAnOrderIsCarriedOut) {
  run_on({"b1@east"});
  lose();
  EXPECT_THAT(ask(key, Act::STOP), ElementsAre(being("stopped"), waits()));
  EXPECT_EQ(status(key), wire::STATUS_RUN) << "as it is known to be";
  EXPECT_THAT(notes_in(effects),
              ElementsAre("The order to stop the job waits until cluster <east> is connected"));
  EXPECT_THAT(ask(key, Act::STOP), ElementsAre(being("stopped"), waits()));
  EXPECT_THAT(notes_in(effects), IsEmpty()) << "once";
  find();
  EXPECT_THAT(orders(effects),
              ElementsAre("OrderSignal SUSPEND number 1 to " + text(attempt(key)) + " on b1@east"));
  EXPECT_EQ(status(key), wire::STATUS_RUN);
  carried_out();
  EXPECT_THAT(waiting(), IsEmpty());
  tells("b1@east", report::Stopped{attempt(key)});
  EXPECT_EQ(status(key), wire::STATUS_USUSP);
  EXPECT_EQ(job(key).record.suspend_reasons(), std::uint32_t{wire::SUSPEND_USER});

  lose();
  EXPECT_THAT(ask(key, Act::STOP), ElementsAre(being("stopped"))) << "it is stopped, and no order waits";
  EXPECT_THAT(ask(key, Act::RESUME), ElementsAre(being("resumed"), waits()));
  EXPECT_EQ(status(key), wire::STATUS_USUSP);
  EXPECT_THAT(waiting(), ElementsAre("The order to resume the job waits until cluster <east> is connected"));
  find();
  carried_out();
  tells("b1@east", report::Resumed{attempt(key)});
  EXPECT_EQ(status(key), wire::STATUS_RUN);
}

// The provider's administrator has nothing to do with it.
TEST_F(CutOffLent, AnAdministratorsStopThatHeHasTakenBackIsNotTheProviders) {
  run_on({"b1@east"});
  ask(key, Act::STOP, kRoot);
  tells("b1@east", report::Stopped{attempt(key)});
  lose();
  EXPECT_THAT(ask(key, Act::RESUME, kRoot), ElementsAre(being("resumed"), waits()));
  EXPECT_FALSE(jobs::stopped_by_provider(job(key).record));
  EXPECT_THAT(ask(key, Act::RESUME, kRoot), testing::Each(testing::Not(testing::HasSubstr("east,"))));
  find();
  carried_out();
  tells("b1@east", report::Resumed{attempt(key)});
  EXPECT_EQ(status(key), wire::STATUS_RUN);
}

TEST_F(CutOffLent, TheLastOrderCounts) {
  run_on({"b1@east"});
  lose();
  ask(key, Act::STOP, kRoot);
  EXPECT_THAT(ask(key, Act::RESUME, kAnn),
              ElementsAre("! Job <" + text(key) +
                          ">: Job was suspended by LSF admin or root, and is resumed by them"));
  EXPECT_THAT(ask(key, Act::RESUME, kRoot), ElementsAre(being("resumed"), waits()));
  EXPECT_THAT(waiting(), ElementsAre("The order to resume the job waits until cluster <east> is connected"));
  ask(key, Act::STOP, kRoot);
  find();
  EXPECT_THAT(ask(key, Act::RESUME, kRoot), ElementsAre(being("resumed"))) << "the stop is on its way";
  EXPECT_EQ(orders(effects).size(), 1U);
  EXPECT_EQ(status(key), wire::STATUS_RUN);
  ask(key, Act::STOP, kRoot);
  EXPECT_EQ(status(key), wire::STATUS_USUSP);
  EXPECT_EQ(job(key).record.suspend_reasons(), std::uint32_t{wire::SUSPEND_ADMIN});
}

TEST_F(CutOffLent, AKillWaits) {
  run_on({"b1@east"});
  lose();
  EXPECT_THAT(ask(key, Act::KILL), ElementsAre(being("terminated"), waits()));
  EXPECT_EQ(status(key), wire::STATUS_RUN);
  EXPECT_THAT(notes_in(effects),
              ElementsAre("The order to kill the job waits until cluster <east> is connected"));
}

// How far orders have come is stored: a restart makes none wait that was carried out.
TEST_F(CutOffLent, OrdersThatWereCarriedOutDoNotWaitAfterARestart) {
  run_on({"b1@east"});
  ask(key, Act::STOP);
  carried_out();
  EXPECT_THAT(lines(effects), ElementsAre("SaveJob " + text(key)));
  carried_out();
  EXPECT_THAT(effects, IsEmpty()) << "told again, it is no news";
  EXPECT_THAT(waiting(), IsEmpty());
  tells("b1@east", report::CarriedOut{attempt(key), 1000});
  EXPECT_EQ(job(key).record.carried_out(0).signal_number(), 1U) << "no more than were given";
}

// The job's first host is ours, and obeys at once.
TEST_F(CutOffLent, AnOrderReachesAPartWhenItsClusterIsConnected) {
  run_on({"hostA", "b1@east"});
  EXPECT_THAT(ask(key, Act::STOP), ElementsAre(being("stopped")));
  carried_out();
  lose();
  EXPECT_THAT(ask(key, Act::RESUME),
              ElementsAre(being("resumed"),
                          "Job <" + text(key) +
                              ">: the order reaches its part in cluster <east> when that is connected"));
  EXPECT_EQ(status(key), wire::STATUS_RUN);
  const std::string resume =
      "The order to resume the job reaches the job's part in cluster <east> when that is connected";
  EXPECT_THAT(notes_in(effects), ElementsAre(resume));
  EXPECT_THAT(waiting(), ElementsAre(resume));
}

class GivenBack : public BookTest {
 protected:
  GivenBack() { receive("RCVJOBS_FROM = east\n"); }
  void receive(const std::string& normal) { effects = book->configure(site_files("", normal), now); }
  JobKey offered(int id) {
    wire::ForwardOffer offer;
    offer.mutable_attempt()->mutable_key()->set_id(id);
    offer.mutable_attempt()->set_attempt(1);
    offer.set_queue("normal");
    return key_of(book->forwards().offer("east", offer, plain_job(), kAnn, now).said.state->job().key());
  }
  wire::ForwardOver over(JobKey key) const { return *book->forwards().said_of(key, now)->over; }
  static std::size_t finishes(const Effects& effects) {
    const auto all = events(effects);
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](const auto& event) { return event.has_finish(); }));
  }
  static std::size_t signals(const Effects& effects) {
    const auto all = events(effects);
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](const auto& event) { return event.has_signal(); }));
  }
};

// bacct counts what has run here; bhist names no one who has killed it.
TEST_F(GivenBack, AJobThatNeverRanIsInNoAccount) {
  const JobKey recalled = offered(7), written_off = offered(8), fails = offered(9);
  wire::ForwardRecall recall;
  recall.mutable_attempt()->mutable_key()->set_id(7);
  recall.mutable_attempt()->set_attempt(1);
  const auto back = book->forwards().recall("east", recall, now).effects;
  EXPECT_EQ(finishes(back) + signals(back), 0U);
  EXPECT_EQ(over(recalled).how(), wire::ForwardOver::WITHDRAWN);
  EXPECT_EQ(over(recalled).why(), "") << "its cluster knows why it has asked";
  EXPECT_EQ(job(recalled).record.term_reason(), TERM_UNKNOWN);
  hello("hostA");
  for (int i = 0; i < 5; ++i) {
    now.us += 1'000'000'000;
    book->tick(now);
    dispatch(fails);
    ends(fails, 1 << 8, How::pre_exec_failed);
  }
  ASSERT_EQ(over(fails).how(), wire::ForwardOver::WITHDRAWN);
  EXPECT_EQ(finishes(effects), 0U);
  const auto gone = book->forwards().write_off("east", kRoot, false, now).effects;
  EXPECT_EQ(finishes(gone) + signals(gone), 0U);
  EXPECT_EQ(status(written_off), wire::STATUS_EXIT);
}

TEST_F(GivenBack, AJobThatRanIsInTheAccounts) {
  const JobKey key = offered(7);
  hello("hostA");
  dispatch(key);
  runs(key);
  ends(key, 1 << 8);
  EXPECT_EQ(finishes(effects), 1U);
}

// A million jobs of one cluster would take a gigabyte and seconds when it connects.
TEST_F(GivenBack, JobsStayPackedWhileTheirClusterIsGreeted) {
  constexpr int kJobs = 2000;
  const auto used = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  receive("RCVJOBS_FROM = east\nIMPT_JOBBKLG = 10000\n");
  for (int id = 1; id <= kJobs; ++id) {
    offered(id);
    book->jobs().pack();
  }
  const auto before = used();
  if (before == 0) GTEST_SKIP() << "this allocator does not count";
  EXPECT_THAT(book->forwards().is_back("east"), IsEmpty());
  EXPECT_EQ(book->forwards().held_for("east").size(), std::size_t{kJobs});
  EXPECT_EQ(book->forwards().shared_with("east").second, std::size_t{kJobs});
  EXPECT_LT(used() - before, std::size_t{kJobs} * 20) << "of a key each; unpacked they take 2 kB";
}

TEST_F(GivenBack, WhereTheQueueThatReceivedItIsRemoved) {
  const JobKey waits = offered(7), runs_on = offered(8);
  const JobKey ours{submit(plain_job()), 0};
  hello("hostA");
  dispatch(runs_on);
  EXPECT_THAT(book->forwards().give_back_of_removed_queues(now).lines, IsEmpty());
  auto files = site_files("", "RCVJOBS_FROM = east\n");
  auto lsb = std::make_shared<conf::LsbFiles>(*files.lsb);
  std::erase_if(lsb->queues, [](const auto& queue) { return queue.name == "normal"; });
  files.lsb = lsb;
  book->configure(files, now);
  EXPECT_THAT(
      book->forwards().give_back_of_removed_queues(now).lines,
      ElementsAre("queue normal is removed: the jobs of other clusters that waited in it are given back "
                  "(1 of cluster east)"));
  EXPECT_EQ(over(waits).how(), wire::ForwardOver::WITHDRAWN);
  EXPECT_EQ(over(waits).why(), "queue normal was removed there");
  EXPECT_EQ(status(runs_on), wire::STATUS_RUN);
  EXPECT_EQ(status(ours), wire::STATUS_PEND);
  EXPECT_THAT(book->forwards().give_back_of_removed_queues(now).lines, IsEmpty()) << "once";
}

TEST_F(CutOffLent, BmodSaysThatAChangeWaits) {
  run_on({"b1@east"});
  const auto changed = [this](std::int64_t seconds) {
    wire::ModifyJobs request;
    set_key(*request.mutable_filter()->add_keys(), key);
    request.add_fields(1000 + wire::Limits::kRunSFieldNumber);
    request.mutable_changed()->mutable_limits()->set_run_s(seconds);
    return answer(book->commands().modify_jobs(request, kAnn, now));
  };
  const std::string done = "Parameters of job <" + text(key) + "> are being changed";
  EXPECT_THAT(changed(600), ElementsAre(done));
  lose();
  EXPECT_THAT(changed(300), ElementsAre(done, waits()));
}

}  // namespace
}  // namespace rollcall::sched::book
