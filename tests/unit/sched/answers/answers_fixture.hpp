// A small site's Book and Snapshot, and mbatchd's answers from them: for the tests of sched_answers.
#pragma once

#include <utility>

#include "sched/policy/answers/answers.hpp"
#include "sched/policy/answers/snapshot_keeper.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::answers {

class Answers : public book::BookTest {
 protected:
  Answers() {
    keeper.configure(cycle::placement_rules(book->jobs().config().cluster, book->jobs().config().lsb));
    for (const char* host : {"hostA", "hostB", "hostC"}) keeper.connected(host, true);
  }

  AnswerView view() {
    return {book->jobs(), book->hosts(), keeper.snapshot(), now,
            [this](const auto& asked) { return rows.whole(asked); }};
  }

  std::int32_t submit_seen(const wire::Submission& asked, const Identity& who = book::kAnn) {
    const auto id = submit(asked, who);
    rows.take(effects);
    for (const JobKey key : book->jobs().elements(id)) keeper.job(key);
    return id;
  }

  std::vector<wire::BatchReply> parts(const wire::BatchRequest& request, const Identity& who = book::kAnn) {
    std::vector<wire::BatchReply> all;
    auto next = sched::answers::answer(request, who, view());
    EXPECT_TRUE(next);
    while (next && (all.empty() || !all.back().last())) {
      auto part = (*next)(view());
      if (!part) {
        ADD_FAILURE() << "no part with last";
        break;
      }
      all.push_back(std::move(*part));
    }
    return all;
  }
  wire::BatchReply whole(const wire::BatchRequest& request, const Identity& who = book::kAnn) {
    auto all = parts(request, who);
    EXPECT_EQ(all.size(), 1U);
    return std::move(all.at(0));
  }
  static std::string ids(const wire::BatchReply& reply) {
    std::string text;
    for (const auto& job : reply.jobs().jobs()) text += sched::text(key_of(job.record().key())) + " ";
    return text;
  }

  SnapshotKeeper keeper{book->jobs(), book->hosts()};
  book::PayloadRows rows;
};

}  // namespace rollcall::sched::answers
