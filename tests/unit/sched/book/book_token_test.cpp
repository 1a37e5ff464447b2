// A token makes a repeated request to submit harmless; requests that mean many jobs are done in pieces.
#include "sched/policy/book/book_signal.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class BookTokenTest : public BookTest {
 protected:
  static wire::Submit request(const std::string& token, int jobs = 1) {
    wire::Submit request;
    for (int i = 0; i < jobs; ++i) *request.add_jobs() = plain_job();
    request.set_token(token);
    return request;
  }
  wire::BatchReply submit_with(const wire::Submit& asked, const Identity& who = kAnn) {
    auto applied = book->commands().submit(asked, who, now);
    effects = std::move(applied.effects);
    return applied.reply;
  }
  std::int32_t first_id(const wire::Submit& asked, const Identity& who = kAnn) {
    return submit_with(asked, who).submitted().jobs(0).id();
  }
  // Rows of the effects.
  std::vector<std::string> saved_tokens() const {
    std::vector<std::string> tokens;
    for (const Effect& one : effects)
      if (const auto* save = std::get_if<effect::SaveToken>(&one)) tokens.push_back(save->token);
    return tokens;
  }
  const std::string token_ = std::string(16, '\x01');
};

TEST_F(BookTokenTest, TheSameTokenAgainIsAnsweredTheSame) {
  const auto first = submit_with(request(token_, 3));
  EXPECT_THAT(saved_tokens(), ElementsAre("1001:" + std::string("01010101010101010101010101010101")));
  const auto again = submit_with(request(token_, 3));
  EXPECT_EQ(again.SerializeAsString(), first.SerializeAsString());
  EXPECT_THAT(effects, IsEmpty());
  EXPECT_EQ(book->jobs().size(), 3u);
}

TEST_F(BookTokenTest, AnotherTokenOrNoneIsAnotherRequest) {
  const auto id = first_id(request(token_));
  EXPECT_NE(first_id(request(std::string(16, '\x02'))), id);
  EXPECT_NE(first_id(request("")), first_id(request("")));
  EXPECT_EQ(book->jobs().size(), 4u);
}

TEST_F(BookTokenTest, ATokenIsItsUsersAlone) {
  const auto id = first_id(request(token_));
  EXPECT_NE(first_id(request(token_), kBob), id);
  EXPECT_EQ(first_id(request(token_)), id);
}

TEST_F(BookTokenTest, AShortOrLongOneIsRefused) {
  EXPECT_THAT(submit_with(request("abc")).refusal().text(),
              HasSubstr("found a token of 3 bytes, expected 16 to 64"));
  EXPECT_THAT(submit_with(request(std::string(65, 'x'))).refusal().text(), HasSubstr("65 bytes"));
  EXPECT_EQ(book->jobs().size(), 0u);
}

TEST_F(BookTokenTest, TokenOfACheckIsNotKept) {
  auto check = request(token_);
  check.set_check_only(true);
  submit_with(check);
  EXPECT_NE(first_id(request(token_)), 0);
  EXPECT_EQ(book->jobs().size(), 1u);
}

TEST_F(BookTokenTest, RefusedRequestMayBeRepeated) {
  auto wrong = request(token_);
  wrong.mutable_jobs(0)->add_queues("nowhere");
  EXPECT_TRUE(submit_with(wrong).submitted().jobs(0).has_refusal());
  EXPECT_THAT(saved_tokens(), IsEmpty());
}

TEST_F(BookTokenTest, ItIsForgottenAfterAnHour) {
  const auto id = first_id(request(token_));
  now.us += 3'599'000'000;
  EXPECT_EQ(first_id(request(token_)), id);
  now.us += 2'000'000;
  submit_with(request(std::string(16, 'b')));
  bool forgets = false;
  for (const Effect& one : effects) forgets = forgets || std::holds_alternative<effect::ForgetTokens>(one);
  EXPECT_TRUE(forgets);
  EXPECT_NE(first_id(request(token_)), id);
}

TEST_F(BookTokenTest, TokenOfAWithdrawnSubmissionIsForgotten) {
  const auto id = first_id(request(token_));
  book->rows().withdraw(id);
  EXPECT_EQ(book->jobs().size(), 0u);
  EXPECT_THAT(saved_tokens(), testing::SizeIs(1));
  EXPECT_EQ(book->rows().token(saved_tokens()[0]), nullptr);
  first_id(request(token_));
  EXPECT_EQ(book->jobs().size(), 1u);
}

TEST_F(BookTokenTest, TickForgetsOldTokensWithoutAnotherSubmission) {
  submit_with(request(token_));
  const std::string name = saved_tokens().at(0);
  now.us += 3'599'000'000;
  book->tick(now);
  EXPECT_NE(book->rows().token(name), nullptr);
  now.us += 2'000'000;
  const auto ticked = book->tick(now);
  EXPECT_EQ(book->rows().token(name), nullptr);
  EXPECT_TRUE(std::any_of(ticked.begin(), ticked.end(), [](const Effect& effect) {
    return std::holds_alternative<effect::ForgetTokens>(effect);
  }));
}

TEST_F(BookTokenTest, ItOutlivesMbatchd) {
  const auto first = submit_with(request(token_));
  const std::string name = saved_tokens().at(0);
  const KeptToken kept = *book->rows().token(name);
  start();
  book->rows().load_token(name, kept);
  EXPECT_EQ(submit_with(request(token_)).SerializeAsString(), first.SerializeAsString());
  EXPECT_EQ(book->jobs().size(), 0u) << "the job is in the store; here only the answer counts";
}

// ---------------------------------------------------------------- pieces

TEST_F(BookTokenTest, ManyJobsAreKilledInPieces) {
  for (int i = 0; i < 5; ++i) submit(plain_job());
  wire::SignalJobs all;
  const auto work = book->commands().begin_signal(all, kAnn);
  auto some = book->commands().signal_some(*work, 2, now);
  EXPECT_FALSE(some.reply.last());
  EXPECT_EQ(some.reply.outcomes().outcomes_size(), 2);
  EXPECT_EQ(book->jobs().with_status(wire::STATUS_EXIT).size(), 2u);
  submit(plain_job());  // came later: it is not meant
  ask({3, 0}, wire::SignalJobs::KILL);
  some = book->commands().signal_some(*work, 2, now);
  EXPECT_FALSE(some.reply.last());
  EXPECT_EQ(some.reply.outcomes().outcomes_size(), 1) << "no line for the job that was killed meanwhile";
  some = book->commands().signal_some(*work, 2, now);
  EXPECT_TRUE(some.reply.last());
  EXPECT_FALSE(some.reply.has_refusal());
  EXPECT_EQ(some.reply.outcomes().outcomes_size(), 1);
  EXPECT_EQ(book->jobs().with_status(wire::STATUS_PEND).size(), 1u);
}

TEST_F(BookTokenTest, ManyJobsAreSwitchedInPieces) {
  auto parallel = plain_job();
  parallel.set_min_slots(2);
  for (int i = 0; i < 5; ++i) submit(parallel);
  wire::SwitchJobs all;
  all.set_queue("special");
  const auto work = book->commands().begin_switch(all, kAnn);
  auto some = book->commands().switch_some(*work, 2, now);
  EXPECT_FALSE(some.reply.last());
  EXPECT_EQ(book->jobs().of_queue("special").size(), 2u);
  ask({3, 0}, wire::SignalJobs::KILL);
  submit(plain_job());  // came later: it is not meant
  some = book->commands().switch_some(*work, 100, now);
  EXPECT_TRUE(some.reply.last());
  EXPECT_EQ(some.reply.outcomes().outcomes_size(), 2) << "no line for the job that was killed meanwhile";
  EXPECT_EQ(book->jobs().of_queue("special").size(), 4u);
  EXPECT_EQ(book->jobs().find({6, 0})->record.queue(), "normal");
}

TEST_F(BookTokenTest, AnArrayIsChangedInPiecesAndIsOneSubmissionAgain) {
  const auto id = submit(array_job(10));
  submit(plain_job());
  wire::ModifyJobs change;
  change.mutable_changed()->set_project("other");
  change.add_fields(wire::Submission::kProjectFieldNumber);
  change.mutable_filter()->add_keys()->set_id(id);
  const auto work = book->commands().begin_modify(change, kAnn);
  std::vector<std::string> said;
  int changes = 0;
  for (int i = 0; i < 4; ++i) {
    const auto some = book->commands().modify_some(*work, 3, now);
    EXPECT_EQ(some.reply.last(), i == 3);
    for (const Effect& one : some.effects)
      if (const auto* recorded = std::get_if<effect::RecordEvent>(&one))
        changes += recorded->event.has_modify();
    if (i == 1) ask({id, 9}, wire::SignalJobs::KILL);  // it is over when its turn comes
    for (const auto& line : answer(some)) said.push_back(line);
  }
  EXPECT_THAT(said, ElementsAre("Parameters of job <" + std::to_string(id) + "> are being changed"));
  EXPECT_EQ(changes, 1) << "one record for one bmod";
  std::set<std::uint64_t> submissions;
  for (int i = 1; i <= 10; ++i) {
    const Job& job = *book->jobs().find({id, i});
    EXPECT_EQ(job.asked->project(), i == 9 ? "default" : "other") << i;
    if (i != 9) submissions.insert(job.record.submission());
  }
  EXPECT_EQ(submissions.size(), 1u);
}

TEST_F(BookTokenTest, AnArrayIsCheckedAsAWholeBeforeAnyOfItIsChanged) {
  const auto id = submit(array_job(10));
  book->hosts().dispatch({id, 10}, on_hosts({"hostA"}), now);
  wire::ModifyJobs change;
  change.mutable_changed()->set_command("another");
  change.add_fields(wire::Submission::kCommandFieldNumber);
  change.mutable_filter()->add_keys()->set_id(id);
  const auto work = book->commands().begin_modify(change, kAnn);
  const auto some = book->commands().modify_some(*work, 3, now);
  EXPECT_TRUE(some.reply.last());
  EXPECT_THAT(answer(some), ElementsAre(HasSubstr("Job has already started")));
  EXPECT_EQ(book->jobs().find({id, 1})->asked->command(), "sleep 1");
}

TEST_F(BookTokenTest, AQueueThatGoesBetweenTwoPiecesEndsTheSwitching) {
  for (int i = 0; i < 3; ++i) submit(plain_job());
  wire::SwitchJobs all;
  all.set_queue("special");
  const auto work = book->commands().begin_switch(all, kAnn);
  book->commands().switch_some(*work, 1, now);
  auto files = site_files();
  auto lsb = std::make_shared<conf::LsbFiles>(*files.lsb);
  std::erase_if(lsb->queues, [](const auto& queue) { return queue.name == "special"; });
  files.lsb = lsb;
  book->configure(files, now);
  const auto rest = book->commands().switch_some(*work, 100, now);
  EXPECT_TRUE(rest.reply.last());
  EXPECT_EQ(rest.reply.refusal().text(), "special: No such queue");
}

TEST_F(BookTokenTest, AnArrayHasOneLineHoweverManyPieces) {
  const auto id = submit(array_job(10));
  wire::SignalJobs request;
  request.mutable_filter()->add_keys()->set_id(id);
  const auto work = book->commands().begin_signal(request, kAnn);
  std::vector<std::string> said;
  for (int i = 0; i < 4; ++i)
    for (const auto& line : answer(book->commands().signal_some(*work, 3, now))) said.push_back(line);
  EXPECT_THAT(said, ElementsAre("Job <" + std::to_string(id) + "> is being terminated"));
  EXPECT_EQ(book->jobs().with_status(wire::STATUS_EXIT).size(), 10u);
}

// About a millisecond's work at a time: nothing is done before all jobs that are meant are known.
TEST_F(BookTokenTest, ManyJobsAreSelectedInPiecesBeforeTheFirstIsKilled) {
  for (int i = 0; i < 5000; ++i) submit(plain_job());
  const auto work = book->commands().begin_signal(wire::SignalJobs(), kAnn);
  for (int piece = 0; piece < 2; ++piece) {
    const auto some = book->commands().signal_some(*work, 500, now);
    EXPECT_FALSE(some.reply.last());
    EXPECT_FALSE(some.reply.has_refusal());
    EXPECT_TRUE(some.effects.empty());
  }
  EXPECT_EQ(book->jobs().with_status(wire::STATUS_PEND).size(), 5000u);
  submit(plain_job());  // came later: it is not meant
  const auto first = book->commands().signal_some(*work, 500, now);
  EXPECT_EQ(first.reply.outcomes().outcomes_size(), 500);
  for (int piece = 0; piece < 9; ++piece)
    EXPECT_EQ(book->commands().signal_some(*work, 500, now).reply.last(), piece == 8);
  EXPECT_EQ(book->jobs().with_status(wire::STATUS_PEND).size(), 1u);
}

TEST_F(BookTokenTest, AnArrayIsOneLineThoughItIsSelectedInPieces) {
  wire::SignalJobs request;
  std::vector<std::string> expected;
  for (int i = 0; i < 3; ++i) {
    const auto id = submit(array_job(900));
    request.mutable_filter()->add_keys()->set_id(id);
    expected.push_back("Job <" + std::to_string(id) + "> is being terminated");
  }
  request.mutable_filter()->add_keys()->set_id(4711);
  expected.push_back("! Job <4711>: No matching job found");
  const auto work = book->commands().begin_signal(request, kAnn);
  std::vector<std::string> said;
  for (bool last = false; !last;) {
    const auto some = book->commands().signal_some(*work, 1000, now);
    last = some.reply.last();
    for (const auto& line : answer(some)) said.push_back(line);
  }
  EXPECT_EQ(said, expected);
  EXPECT_EQ(book->jobs().with_status(wire::STATUS_EXIT).size(), 2700u);
}

TEST_F(BookTokenTest, PiecesOfNothingSayThatNothingIsThere) {
  wire::SignalJobs all;
  const auto work = book->commands().begin_signal(all, kAnn);
  const auto none = book->commands().signal_some(*work, 2, now);
  EXPECT_TRUE(none.reply.last());
  EXPECT_EQ(none.reply.refusal().why(), jobs::Refusal::NO_JOB);
}

}  // namespace
}  // namespace rollcall::sched::book
