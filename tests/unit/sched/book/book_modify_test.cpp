// bmod -R of a job that runs: what it reserves changes where it runs; and what of such a job stays.
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

using S = wire::Submission;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class BookModify : public BookTest {
 protected:
  std::string bmod(std::int32_t id, std::int32_t field, const S& changed) {
    wire::ModifyJobs request;
    request.mutable_filter()->add_keys()->set_id(id);
    *request.mutable_changed() = changed;
    request.add_fields(field);
    request.set_text("changed");
    auto applied = book->commands().modify_jobs(request, kAnn, now);
    effects = std::move(applied.effects);
    return applied.reply.outcomes().outcomes(0).text();
  }
  std::string requires_now(std::int32_t id, const std::string& resreq) {
    S changed;
    changed.set_resreq(resreq);
    return bmod(id, S::kResreqFieldNumber, changed);
  }
  std::vector<std::string> reserved(std::int32_t id) const {
    std::vector<std::string> rows;
    for (const auto& row : book->jobs().find({id, 0})->record.reserved())
      rows.push_back(row.resource() + " " + std::to_string(static_cast<int>(row.amount())) + " on " +
                     row.host() +
                     (row.until_us() == 0 ? "" : " until " + std::to_string(row.until_us() / 1'000'000)));
    return rows;
  }
  std::int32_t running_job() {
    auto asked = plain_job();
    asked.set_resreq("rusage[mem=100]");
    const auto id = submit(asked);
    auto plan = on_hosts({"hostA", "hostB"});
    plan.effective_resreq = "select[mem > 10] rusage[mem=100]";
    for (const char* host : {"hostA", "hostB"})
      plan.placement.reservations.push_back({"mem", HostId(host), 100, {}, false});
    effects = book->hosts().dispatch({id, 0}, plan, now);
    return id;
  }
};

TEST_F(BookModify, AStoredRequirementOfTooManyTermsStaysWhereOtherThingsChange) {
  const auto id = submit(plain_job());
  auto old = std::make_shared<S>(*book->jobs().submissions().begin()->second.asked);
  std::string many = "select[1";
  for (int i = 0; i < 3000; ++i) many += "+1";
  old->set_resreq(many + " > 0]");
  auto next = std::make_unique<Book>();
  next->configure(book->jobs().config(), now);
  next->set_term(book->term() + 1);
  next->rows().load_counters(book->rows().next_job_id(), book->rows().next_submission());
  next->rows().load_submission(book->jobs().submissions().begin()->first, old);
  next->rows().load_job(book->jobs().find({id, 0})->record);
  book = std::move(next);
  book->rows().loaded(now);
  S changed;
  changed.set_project("other");
  EXPECT_THAT(bmod(id, S::kProjectFieldNumber, changed), HasSubstr("are being changed"));
  EXPECT_THAT(requires_now(id, many + " > 1]"), HasSubstr("found 3002 terms in select"));
}

TEST_F(BookModify, HostsThatTheQueueDoesNotUseAreRefusedAndStayWhereOtherThingsChange) {
  S asked = plain_job();
  asked.add_asked_hosts()->set_name("hostB");
  const auto id = submit(asked);
  const auto asks_for = [&](const char* host) {
    S changed;
    changed.add_asked_hosts()->set_name(host);
    return bmod(id, S::kAskedHostsFieldNumber, changed);
  };
  book->configure(site_files("", "HOSTS = hostA\n"), now);
  S other;
  other.set_project("other");
  EXPECT_THAT(bmod(id, S::kProjectFieldNumber, other), HasSubstr("are being changed"));
  EXPECT_THAT(asks_for("hostB"), HasSubstr("hostB: Host or host group is not used by the queue"));
  EXPECT_THAT(asks_for("big"), HasSubstr("big: Host or host group is not used by the queue"));
  EXPECT_THAT(asks_for("hostA"), HasSubstr("are being changed"));
}

TEST_F(BookModify, ReservationOfARunningJobChangesOnItsHosts) {
  const auto id = running_job();
  EXPECT_THAT(requires_now(id, "rusage[mem=40,swp=5:duration=10] span[ptile=1]"),
              HasSubstr("are being changed"));
  const auto until = std::to_string(now.us / 1'000'000 + 600);
  EXPECT_THAT(reserved(id), ElementsAre("mem 40 on hostA", "swp 5 on hostA until " + until, "mem 40 on hostB",
                                        "swp 5 on hostB until " + until));
  EXPECT_THAT(book->jobs().find({id, 0})->record.effective_resreq(), HasSubstr("mem=40"));
  EXPECT_EQ(book->jobs().find({id, 0})->record.hosts_size(), 2);
  EXPECT_TRUE(schedules(effects));  // somebody may have waited for what is free now
  EXPECT_THAT(orders(effects), IsEmpty());
  S nothing;
  EXPECT_THAT(bmod(id, S::kResreqFieldNumber, nothing), HasSubstr("are being changed"));
  EXPECT_THAT(reserved(id), IsEmpty());
}

TEST_F(BookModify, OfAlternativesTheFirstCounts) {
  const auto id = running_job();
  requires_now(id, "rusage[mem=7 || swp=9]");
  EXPECT_THAT(reserved(id), ElementsAre("mem 7 on hostA", "mem 7 on hostB"));
  EXPECT_THAT(book->jobs().find({id, 0})->record.effective_resreq(), testing::Not(HasSubstr("swp=9")));
}

TEST_F(BookModify, InvalidRequirementChangesNothing) {
  const auto id = running_job();
  EXPECT_THAT(requires_now(id, "rusage[nosuch=7]"), HasSubstr("Bad resource requirement syntax"));
  EXPECT_THAT(reserved(id), ElementsAre("mem 100 on hostA", "mem 100 on hostB"));
}

TEST_F(BookModify, OutputFilesOfARunningJobStay) {
  const auto id = running_job();
  S changed;
  changed.set_output_file("other");
  EXPECT_THAT(bmod(id, S::kOutputFileFieldNumber, changed), HasSubstr("-o -oo -e -eo cannot be changed"));
}

}  // namespace
}  // namespace rollcall::sched::book
