// The stage's RES.
#include "tests/io/sched/mbatchd_stage.hpp"

namespace rollcall::mbatchd::test {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

FakeRes::Key key_of_attempt(const wire::JobAttempt& job) {
  return {{job.key().id(), job.key().index()}, job.attempt()};
}
void set_attempt(wire::JobAttempt& job, const FakeRes::Key& key) {
  job.mutable_key()->set_id(key.first.first);
  job.mutable_key()->set_index(key.first.second);
  job.set_attempt(key.second);
}

}  // namespace

bool FakeRes::connect(std::uint16_t port, const io::ClusterKey& key) {
  talk_ = std::make_unique<Talk>(port, io::ClusterChannel::dial_as_daemon(key, io::random_seed()));
  if (!talk_->open()) return false;
  wire::FromRes message;
  auto& hello = *message.mutable_hello();
  hello.set_host(host_);
  hello.set_run(std::string(16, 'r'));
  hello.set_term(term_);
  hello.set_knows_go(knows_go);
  for (const auto& [known, attempt] : attempts_) {
    if (attempt.acknowledged || attempt.released) continue;
    auto& held = *hello.add_jobs();
    held.mutable_job()->mutable_key()->set_id(known.first.first);
    held.mutable_job()->mutable_key()->set_index(known.first.second);
    held.mutable_job()->set_attempt(known.second);
    held.set_state(attempt.over       ? wire::FromRes::Held::OVER
                   : attempt.prepared ? wire::FromRes::Held::PREPARED
                                      : wire::FromRes::Held::RUNNING);
    held.set_first_host(true);
  }
  say(message);
  for (const auto& [known, attempt] : attempts_)
    if (attempt.over && !attempt.acknowledged) say(over_message(known));
  return true;
}

void FakeRes::say(const wire::FromRes& message) {
  wire::ToMbatchd out;
  out.set_engine(message.SerializeAsString());
  if (talk_) talk_->say(out);
}

void FakeRes::serve(milliseconds time, const std::function<bool()>& enough) {
  const auto until = steady_clock::now() + time;
  while (talk_ && !enough()) {
    const auto left = std::chrono::duration_cast<milliseconds>(until - steady_clock::now());
    if (left.count() <= 0) return;
    const auto message = talk_->hear(std::min(left, milliseconds(20)));
    wire::ToRes order;
    if (message && message->has_engine() && order.ParseFromString(message->engine())) take(order);
    if (!message && talk_->ended()) return;
  }
}

// What a RES of today hears beside what an older one does.
bool FakeRes::take_of_start(const wire::ToRes& order) {
  if (order.has_ping()) {
    wire::FromRes message;
    message.mutable_pong()->set_number(order.ping().number());
    say(message);
  } else if (order.has_start() && order.start().wait_for_go()) {
    const Key key = key_of_attempt(order.start().job());
    Attempt& attempt = attempts_[key];
    ++attempt.ordered;
    attempt.prepared = attempt.started == 0;
    attempt.order = order.start();
    if (prepares) say_prepared(key);
  } else if (order.has_expect()) {
    const Key key = key_of_attempt(order.expect().job());
    ++attempts_[key].ordered;
    if (prepares) say_prepared(key);
  } else if (order.has_go()) {
    for (const auto& job : order.go().jobs()) begin(key_of_attempt(job));
  } else if (order.has_release()) {
    attempts_[key_of_attempt(order.release().job())].released = true;
  } else {
    return false;
  }
  return true;
}

void FakeRes::begin(const Key& key) {
  Attempt& attempt = attempts_[key];
  if (!attempt.prepared) return;
  attempt.prepared = false;
  ++attempt.started;
  wire::FromRes message;
  set_attempt(*message.mutable_begun()->add_jobs(), key);
  say(message);
  if (!runs_at_once) return;
  say_running(key);
  end(key);
}

void FakeRes::say_prepared(const Key& key) {
  wire::FromRes message;
  set_attempt(*message.mutable_prepared()->add_jobs(), key);
  say(message);
}

void FakeRes::say_not_prepared(const Key& key, const std::string& why) {
  wire::FromRes message;
  set_attempt(*message.mutable_not_prepared()->mutable_job(), key);
  message.mutable_not_prepared()->set_why(why);
  say(message);
}

void FakeRes::take(const wire::ToRes& order) {
  if (order.term() < term_) {
    ++refused_;
    wire::FromRes message;
    message.mutable_refused()->set_term(term_);
    message.mutable_refused()->set_why("an order of an older term");
    return say(message);
  }
  term_ = order.term();
  if (take_of_start(order)) return;
  const auto key_of = key_of_attempt;
  if (order.has_start()) {
    const Key key = key_of(order.start().job());
    Attempt& attempt = attempts_[key];
    ++attempt.ordered;
    if (attempt.started > 0) return;  // the durable order is there
    ++attempt.started;
    attempt.order = order.start();
    if (!runs_at_once) return;
    say_running(key);
    end(key);
  } else if (order.has_welcome()) {
    welcome_ = order.welcome();
  } else if (order.has_signal()) {
    attempts_[key_of(order.signal().job())].signals.push_back(order.signal());
  } else if (order.has_acknowledge()) {
    attempts_[key_of(order.acknowledge().job())].acknowledged = true;
  }
}

void FakeRes::say_running(const Key& key) {
  wire::FromRes message;
  auto& running = *message.mutable_running();
  running.mutable_job()->mutable_key()->set_id(key.first.first);
  running.mutable_job()->mutable_key()->set_index(key.first.second);
  running.mutable_job()->set_attempt(key.second);
  running.set_pid(4711);
  running.set_pgid(4711);
  running.set_start_us(1);
  say(message);
}

wire::FromRes FakeRes::over_message(const Key& key) const {
  wire::FromRes message;
  auto& over = *message.mutable_over();
  over.mutable_job()->mutable_key()->set_id(key.first.first);
  over.mutable_job()->mutable_key()->set_index(key.first.second);
  over.mutable_job()->set_attempt(key.second);
  over.set_how(wire::FromRes::JobOver::ENDED);
  const auto exit = exits_.find(key);
  over.set_exit_status(exit == exits_.end() ? 0 : exit->second);
  over.set_end_us(2);
  return message;
}

void FakeRes::end(const Key& key, int exit_status) {
  attempts_[key].over = true;
  exits_[key] = exit_status;
  say(over_message(key));
}

}  // namespace rollcall::mbatchd::test
