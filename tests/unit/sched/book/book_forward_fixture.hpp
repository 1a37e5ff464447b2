// Foreign: a Book that has jobs of other clusters.
#pragma once

#include <functional>

#include "sched/policy/book/forwarded_jobs.hpp"
#include "sched/policy/book/present_events.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {

class Foreign : public BookTest {
 protected:
  Foreign() { receives(""); }
  void receives(const std::string& more) {
    book = std::make_unique<Book>();
    book->configure(site_files("", "RCVJOBS_FROM = east\n" + more), now);
    book->set_term(1);
    book->rows().loaded(now);
    hello("hostA");
  }
  static wire::ForwardAttempt attempt_of(int id, std::uint64_t number = 1) {
    wire::ForwardAttempt attempt;
    attempt.mutable_key()->set_id(id);
    attempt.set_attempt(number);
    return attempt;
  }
  ForwardedJobs::Answered offer(int id, const std::string& queue = "normal",
                                const std::string& cluster = "east", const Identity& who = kAnn) {
    wire::ForwardOffer offer;
    *offer.mutable_attempt() = attempt_of(id);
    offer.set_queue(queue);
    auto answered = book->forwards().offer(cluster, offer, plain_job(), who, now);
    return answered;
  }
  std::string why(const ForwardedJobs::Answered& answered) const {
    return answered.said.over ? answered.said.over->why() : "accepted";
  }
  JobKey here(const ForwardedJobs::Answered& answered) const {
    return key_of(answered.said.state->job().key());
  }
  wire::ForwardSignal signal(int id, std::uint64_t number, wire::SentSignal::Action action) const {
    wire::ForwardSignal signal;
    *signal.mutable_attempt() = attempt_of(id);
    signal.mutable_sent()->set_number(number);
    signal.mutable_sent()->set_action(action);
    return signal;
  }
  SaidOfAttempt recall(int id) {
    wire::ForwardRecall recall;
    *recall.mutable_attempt() = attempt_of(id);
    return book->forwards().recall("east", recall, now).said;
  }
};

}  // namespace rollcall::sched::book
