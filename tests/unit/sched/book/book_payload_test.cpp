// The Book keeps no script and no environment: it names the rows of the store that have them, for as long as a job may need them.
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

wire::Submission job_with_payload(std::size_t environment = 8192) {
  auto asked = plain_job();
  asked.set_script("#!/bin/sh\nsleep 1\n");
  asked.add_environment("A=" + std::string(environment, 'x'));
  asked.set_spooled_input("data");
  asked.set_esub_output("for eexec");
  return asked;
}

class HearingEngine : public Engine {
 public:
  void start(const std::string&, order::Start order) override { started.push_back(std::move(order)); }
  void expect(const std::string&, const order::Expect&) override {}
  void go(const std::string&, const Attempt&) override {}
  void signal(const std::string&, const order::Signal&) override {}
  void acknowledge(const std::string&, const Attempt&) override {}
  void release(const std::string&, const Attempt&) override {}
  std::vector<order::Start> started;
};

class BookPayload : public BookTest {
 protected:
  std::int32_t submit_stored(const wire::Submission& asked) {
    const auto id = submit(asked);
    rows.take(effects);
    return id;
  }
  wire::Submission whole(JobKey key) { return *rows.whole(job(key).asked); }
  Applied bmod(JobKey key, int field, const wire::Submission& changed) {
    wire::ModifyJobs request;
    set_key(*request.mutable_filter()->add_keys(), key);
    request.add_fields(field);
    *request.mutable_changed() = changed;
    return book->commands().modify_jobs(request, kAnn, now);
  }
  void modify(JobKey key, int field, const wire::Submission& changed) {
    const auto applied = bmod(key, field, changed);
    EXPECT_FALSE(applied.reply.outcomes().outcomes(0).failed())
        << applied.reply.outcomes().outcomes(0).text();
    rows.take(applied.effects);
  }
  std::string not_modified(JobKey key, int field, const wire::Submission& changed) {
    const auto applied = bmod(key, field, changed);
    EXPECT_TRUE(applied.reply.outcomes().outcomes(0).failed());
    return applied.reply.outcomes().outcomes(0).text();
  }
  // Orders to start that an engine got of these effects.
  std::vector<order::Start> starts(const Effects& of, bool readable = true) {
    HearingEngine engine;
    for (const Effect& effect : of)
      EXPECT_EQ(book->hosts().carry_out(effect, engine,
                                        [&](const auto& asked) {
                                          return readable ? rows.whole(asked)
                                                          : std::shared_ptr<wire::Submission>();
                                        }),
                readable || !std::holds_alternative<effect::OrderStart>(effect));
    return std::move(engine.started);
  }

  PayloadRows rows;
};

TEST_F(BookPayload, SubmissionInMemoryHasPlacesInsteadOfTexts) {
  submit_stored(job_with_payload());
  const auto& kept = *job({1, 0}).asked;
  EXPECT_EQ(kept.environment_size(), 0);
  EXPECT_EQ(kept.script(), "");
  EXPECT_FALSE(kept.has_spooled_input());
  EXPECT_EQ(kept.esub_output(), "");
  EXPECT_LT(kept.ByteSizeLong(), 200U);
  EXPECT_THAT(rows.bodies, SizeIs(4));
  EXPECT_EQ(whole({1, 0}).script(), job_with_payload().script());
  EXPECT_EQ(whole({1, 0}).environment(0), job_with_payload().environment(0));
  EXPECT_EQ(whole({1, 0}).spooled_input(), "data");
  EXPECT_EQ(whole({1, 0}).esub_output(), "for eexec");
}

TEST_F(BookPayload, ElementsOfAnArrayShareTheRows) {
  auto asked = array_job(100);
  asked.add_environment("A=1");
  submit_stored(asked);
  EXPECT_THAT(rows.bodies, SizeIs(1));
  EXPECT_EQ(job({1, 1}).asked, job({1, 100}).asked);
}

TEST_F(BookPayload, JobWithoutTextsNeedsNoRow) {
  submit_stored(plain_job());
  EXPECT_THAT(rows.bodies, IsEmpty());
}

TEST_F(BookPayload, OrderToStartHasThePayload) {
  auto asked = job_with_payload();
  asked.add_environment("LSB_JOB_REPORT_MAIL=N");
  submit_stored(asked);
  hello("hostA");
  const auto started = starts(book->hosts().dispatch({1, 0}, on_hosts({"hostA"}), now));
  ASSERT_THAT(started, SizeIs(1));
  EXPECT_EQ(started[0].asked->script(), asked.script());
  EXPECT_EQ(started[0].asked->environment_size(), 2);
  EXPECT_TRUE(started[0].mail_report_only);
}

TEST_F(BookPayload, OrderWhosePayloadCannotBeReadIsNotGiven) {
  submit_stored(job_with_payload());
  hello("hostA");
  EXPECT_THAT(starts(book->hosts().dispatch({1, 0}, on_hosts({"hostA"}), now), false), IsEmpty());
}

TEST_F(BookPayload, RowsAreDroppedWhenTheJobIsCleaned) {
  submit_stored(job_with_payload());
  hello("hostA");
  dispatch({1, 0});
  runs({1, 0});
  ends({1, 0}, 0);
  EXPECT_THAT(rows.bodies, SizeIs(4)) << "brequeue may want them";
  now.us += 7200LL * 1'000'000;
  rows.take(book->tick(now));
  EXPECT_EQ(book->jobs().size(), 0U);
  EXPECT_THAT(rows.bodies, IsEmpty());
  EXPECT_EQ(book->jobs().stored_bytes("ann"), 0U);
}

TEST_F(BookPayload, ModifiedJobKeepsTheRowsThatItStillNeeds) {
  submit_stored(job_with_payload());
  wire::Submission changed;
  changed.set_job_name("other");
  modify({1, 0}, wire::Submission::kJobNameFieldNumber, changed);
  EXPECT_THAT(rows.bodies, SizeIs(4));
  EXPECT_EQ(whole({1, 0}).script(), job_with_payload().script());
  // bmod -Z: the command replaces the script.
  modify({1, 0}, wire::Submission::kScriptFieldNumber, {});
  EXPECT_THAT(rows.bodies, SizeIs(3));
  EXPECT_EQ(whole({1, 0}).script(), "");
  EXPECT_EQ(whole({1, 0}).environment(0), job_with_payload().environment(0));
  changed.set_input_file("/dev/null");
  modify({1, 0}, wire::Submission::kInputFileFieldNumber, changed);
  EXPECT_FALSE(whole({1, 0}).has_spooled_input());
  changed.add_environment("B=2");
  modify({1, 0}, wire::Submission::kEnvironmentFieldNumber, changed);
  EXPECT_THAT(whole({1, 0}).environment(), ElementsAre("B=2"));
  EXPECT_THAT(rows.bodies, SizeIs(2)) << "the environment and what the esubs printed";
}

TEST_F(BookPayload, ElementsThatWereModifiedShareTheRowsWithTheOthers) {
  auto asked = array_job(3);
  asked.set_script("true");
  submit_stored(asked);
  wire::Submission changed;
  changed.set_project("p");
  modify({1, 2}, wire::Submission::kProjectFieldNumber, changed);
  EXPECT_THAT(rows.bodies, SizeIs(1));
  modify({1, 1}, wire::Submission::kProjectFieldNumber, changed);
  modify({1, 3}, wire::Submission::kProjectFieldNumber, changed);
  EXPECT_THAT(rows.bodies, SizeIs(1)) << "the first submission has gone, its row is in use";
  EXPECT_EQ(whole({1, 3}).script(), "true");
}

TEST_F(BookPayload, WithdrawnJobLeavesNoRow) {
  submit_stored(job_with_payload());
  const auto row = wire::payload_rows(*job({1, 0}).asked).front();
  EXPECT_TRUE(book->rows().uses_payload(row));
  book->rows().withdraw(1);
  EXPECT_FALSE(book->rows().uses_payload(row));
}

TEST_F(BookPayload, UserHasAShareOfTheStore) {
  start("MAX_USER_JOB_STORAGE = 1\n");
  const auto half = job_with_payload(500'000);
  submit_stored(half);
  submit_stored(half);
  EXPECT_GT(book->jobs().stored_bytes("ann"), 1'000'000U);
  EXPECT_THAT(refused(half),
              HasSubstr("User <ann> has reached the limit of 1 MB of stored scripts and environments "
                        "(MAX_USER_JOB_STORAGE)"));
  submit(half, kBob);
  hello("hostA");
  dispatch({1, 0});
  runs({1, 0});
  ends({1, 0}, 0);
  now.us += 7200LL * 1'000'000;
  book->tick(now);
  submit_stored(half);
}

TEST_F(BookPayload, BmodKeepsToTheShareOfTheStore) {
  start("MAX_USER_JOB_STORAGE = 1\n");
  submit_stored(job_with_payload(600'000));
  submit_stored(plain_job());
  wire::Submission large;
  large.set_script(std::string(600'000, 'x'));
  EXPECT_THAT(not_modified({2, 0}, wire::Submission::kScriptFieldNumber, large),
              HasSubstr("(MAX_USER_JOB_STORAGE)"));
  wire::Submission small;
  small.set_script("true");
  modify({1, 0}, wire::Submission::kScriptFieldNumber, small);
  start("MAX_USER_JOB_STORAGE = 1\n");
  submit_stored(job_with_payload(1'040'000));
  modify({1, 0}, wire::Submission::kScriptFieldNumber, small);
}

TEST_F(BookPayload, BmodMakesNoJobThatIsTooLargeToBeOrdered) {
  submit_stored(job_with_payload(500'000));
  wire::Submission large;
  large.set_script(std::string(500'000, 'x'));
  EXPECT_THAT(not_modified({1, 0}, wire::Submission::kScriptFieldNumber, large),
              HasSubstr("expected at most 921600"));
}

TEST_F(BookPayload, ShareOfTheStoreMayBeUnlimited) {
  start("MAX_USER_JOB_STORAGE = 0\n");
  for (int i = 0; i < 5; ++i) submit_stored(job_with_payload(1'000'000));
}

TEST_F(BookPayload, ClientCannotNameRowsOfOthers) {
  submit_stored(job_with_payload());
  auto thief = plain_job();
  *thief.mutable_environment_at() = job({1, 0}).asked->environment_at();
  EXPECT_THAT(refused(thief, kBob), HasSubstr("places in mbatchd's store"));
  wire::ModifyJobs request;
  submit(plain_job(), kBob);
  set_key(*request.mutable_filter()->add_keys(), {2, 0});
  request.add_fields(wire::Submission::kEnvironmentAtFieldNumber);
  *request.mutable_changed() = thief;
  EXPECT_TRUE(book->commands().modify_jobs(request, kBob, now).reply.outcomes().outcomes(0).failed());
  request.set_fields(0, wire::Submission::kEnvironmentFieldNumber);
  book->commands().modify_jobs(request, kBob, now);
  EXPECT_FALSE(wire::names_payload(*job({2, 0}).asked));
}

}  // namespace
}  // namespace rollcall::sched::book
