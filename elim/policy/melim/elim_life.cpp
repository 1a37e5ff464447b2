#include "elim/policy/melim/elim_life.hpp"

#include <algorithm>
#include <utility>

namespace rollcall::melim {
namespace {

std::string seconds_text(Duration d) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
  if (ms % 1000 == 0) return std::to_string(ms / 1000) + " s";
  return std::to_string(ms) + " ms";
}

class Step {
 public:
  Step(Life& life, TimePoint now) : s(life), now_(now) {}
  Effects take() { return std::move(effects_); }

  void on(const StringBegun&) {
    if (s.phase == Phase::running && !s.block_at) s.block_at = now_ + s.rules.block_time;
  }
  void on(const StringRead&) { s.block_at.reset(); }
  void on(const StringRefused&) { stop_for_a_pause(""); }
  void on(const Flooded&) { stop_for_a_pause("writes far more than an elim may"); }

  void on(const StartFailed& failed) {
    if (s.phase != Phase::running) return;
    say("cannot be started: " + failed.why);
    leave_running(Next::again);
  }

  void on(const Ended& ended) {
    const bool aborts = !ended.status.by_signal() && ended.status.code() == s.rules.abort_value;
    if (s.phase == Phase::running) {
      if (!aborts) say("has ended: " + ended.status.text());
      leave_running(aborts ? Next::abort : Next::again);
    } else if (s.phase == Phase::ending && aborts && faulty()) {
      s.next = Next::abort;  // its complaint about its configuration was read as an invalid load string
    }
  }

  void on(const Gone&) {
    if (s.phase == Phase::running) {
      say("is gone without a word of how it ended");
      leave_running(Next::again);
    }
    if (s.phase != Phase::ending) return;
    switch (s.next) {
      case Next::retire:
        s.phase = Phase::retired;
        return;
      case Next::at_once:
        return start();
      case Next::abort:
        s.phase = Phase::aborted;
        return say("has left with ELIM_ABORT_VALUE: it is not started again until there are new orders");
      case Next::again:
        return restart_at(std::max(now_, *s.last_start + interval()));
      case Next::pause:
        return restart_at(now_ + interval());
    }
  }

  void on(const Ordered& orders) {
    s.rules = orders.rules;
    s.restarts_of_orders = 0;
    if (s.phase == Phase::aborted || s.phase == Phase::given_up) return start();
    if (s.phase == Phase::running && orders.afresh) return stop(Next::at_once);
    if (s.phase == Phase::ending && s.next == Next::abort) s.next = Next::at_once;
  }

  void on(const FileChanged&) {
    s.restarts_of_orders = 0;
    if (s.phase == Phase::running) {
      say("has been changed: it is started anew");
      stop(Next::at_once);
    } else if (s.phase == Phase::ending) {
      s.next = Next::at_once;
    } else if (s.phase != Phase::retired) {
      start();
    }
  }

  void on(const Retired&) {
    if (s.phase == Phase::running) return stop(Next::retire);
    if (s.phase == Phase::ending) {
      s.next = Next::retire;
      return;
    }
    s.start_at.reset();
    s.phase = Phase::retired;
  }

  void on(const TimePassed&) {
    if (s.phase == Phase::waiting && s.start_at && now_ >= *s.start_at) {
      if (s.last_start) count_restart();
      return start();
    }
    if (s.phase != Phase::running || !s.block_at || now_ < *s.block_at) return;
    effects_.push_back(
        SayRest{"has stopped in the middle of a load update string; expected the rest and a newline "
                "within " +
                seconds_text(s.rules.block_time)});
    stop(Next::again);
  }

 private:
  void say(std::string text) { effects_.push_back(Say{std::move(text)}); }
  Duration interval() const { return std::max(s.rules.restart_interval, kLeastPause); }
  // True while ending an elim for its own fault, not because of new orders.
  bool faulty() const { return s.next == Next::again || s.next == Next::pause; }

  void leave_running(Next next) {
    s.phase = Phase::ending;
    s.next = next;
    s.block_at.reset();
  }
  void stop(Next next) {
    leave_running(next);
    effects_.push_back(End{});
  }
  void stop_for_a_pause(const char* why) {
    if (s.phase == Phase::ending && s.next == Next::again) s.next = Next::pause;
    if (s.phase != Phase::running) return;
    if (*why != '\0') say(why);
    stop(Next::pause);
  }

  void count_restart() {
    ++s.restarts;
    ++s.restarts_of_orders;
  }

  void start() {
    s.phase = Phase::running;
    s.start_at.reset();
    s.block_at.reset();
    s.last_start = now_;
    effects_.push_back(Start{});
  }

  void restart_at(TimePoint at) {
    if (s.rules.most_restarts && s.restarts_of_orders >= *s.rules.most_restarts) {
      s.phase = Phase::given_up;
      return say("has been restarted " + std::to_string(s.restarts_of_orders) +
                 " times (LSF_ELIM_RESTARTS): it is not started again until there are new orders");
    }
    s.phase = Phase::waiting;
    s.start_at = at;
    say("is started again in " + seconds_text(at - now_));
  }

  Life& s;
  TimePoint now_;
  Effects effects_;
};

}  // namespace

Effects step(Life& life, const Event& event, TimePoint now) {
  Step one(life, now);
  std::visit([&](const auto& e) { one.on(e); }, event);
  return one.take();
}

std::optional<TimePoint> next_deadline(const Life& life) {
  if (life.phase == Phase::waiting) return life.start_at;
  if (life.phase == Phase::running) return life.block_at;
  return std::nullopt;
}

std::string broken_invariant(const Life& life) {
  if ((life.phase == Phase::waiting) != life.start_at.has_value()) return "start_at belongs to waiting";
  if (life.block_at && life.phase != Phase::running) return "block_at belongs to running";
  if ((life.phase == Phase::running || life.phase == Phase::ending) && !life.last_start)
    return "it runs without a start";
  if (life.restarts_of_orders > life.restarts) return "more restarts since the last orders than in all";
  if (life.rules.most_restarts && life.restarts_of_orders > *life.rules.most_restarts)
    return "more restarts than LSF_ELIM_RESTARTS";
  return "";
}

}  // namespace rollcall::melim
