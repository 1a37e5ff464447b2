// Finding the master: asks the candidates before us, one after the other (the table in lim.hpp).
#include <algorithm>

#include "elim/policy/lim/lim_steps.hpp"

namespace rollcall::lim {
namespace {

// True for a candidate of smaller rank, and for every host if we are no candidate.
bool before_us(const LimStep& step, const std::string& host) {
  return !step.candidate() || step.rules().rank(host) < step.own_rank();
}
bool follows_one_behind(const LimStep& step) {
  return step.lim.role == Role::following && !before_us(step, step.lim.master);
}

void again_in(LimStep& step, Duration wait) { step.lim.search.again_at = step.now + wait; }

// Every candidate before us has been asked, and none is master: become master, or wait.
void conclude(LimStep& step) {
  Search& search = step.lim.search;
  search.active = false;
  search.asked.clear();
  if (step.lim.role == Role::following && !follows_one_behind(step)) {
    search = {};
    return;
  }
  again_in(step, step.rules().exchange_interval);
  if (!step.candidate() || !step.rules().find(step.rules().host)) return;
  const TimePoint due = step.lim.master_heard + step.rules().takeover(step.own_rank());
  const bool need_not_wait = !search.life && (!search.silence || !search.behind.empty());
  if (need_not_wait || step.now >= due) return become_master(step);
  search.again_at = std::min(*search.again_at, due);
}

void ask(LimStep& step, std::string host) {
  dial(step, host);
  step.lim.search.asked = std::move(host);
}

void ask_next(LimStep& step) {
  Search& search = step.lim.search;
  if (!search.hint.empty()) return ask(step, std::exchange(search.hint, {}));
  if (search.next < step.own_rank()) return ask(step, step.rules().candidates[search.next++]);
  // A candidate before us lives and will be master. Until then the master behind us has the load.
  if (search.life && !search.behind.empty() && step.lim.role == Role::looking)
    return ask(step, std::exchange(search.behind, {}));
  conclude(step);
}

// Asks `host` at once, and the candidates after it if it is not master.
void ask_first(LimStep& step, const std::string& host) {
  Search search;
  search.active = true;
  search.hint = host;
  search.hints.insert(host);
  // A LIM with a valid master asks no other candidate.
  const bool content = step.lim.role == Role::following && !follows_one_behind(step);
  if (content) search.next = step.own_rank();
  if (follows_one_behind(step)) search.behind = step.lim.master;
  step.lim.search = std::move(search);
  ask_next(step);
}

void master_answered(LimStep& step, const event::PeerAnswered& answer, bool awaited) {
  Search& search = step.lim.search;
  const bool looking = step.lim.role == Role::looking;
  if (before_us(step, answer.host)) {
    if (looking || step.rules().rank(answer.host) < step.rules().rank(step.lim.master))
      return follow(step, answer.connection, answer.host);
    close_link(step, answer.connection);
    if (awaited) ask_next(step);
    return;
  }
  const bool all_asked = search.next >= step.own_rank();
  if (looking && awaited && all_asked && search.life) return follow(step, answer.connection, answer.host);
  close_link(step, answer.connection);
  search.behind = answer.host;
  if (awaited) return ask_next(step);
  if (looking && !search.active) start_search(step, answer.host);
}

}  // namespace

void start_search(LimStep& step, const std::string& behind) {
  step.lim.search = {};
  step.lim.search.active = true;
  step.lim.search.behind = behind;
  ask_next(step);
}

void search_answered(LimStep& step, const event::PeerAnswered& answer) {
  Search& search = step.lim.search;
  const bool awaited = search.active && search.asked == answer.host;
  if (answer.master) return master_answered(step, answer, awaited);
  close_link(step, answer.connection);
  if (!awaited) return;
  const bool living_candidate = step.rules().rank(answer.host) < step.own_rank();
  search.life |= living_candidate;
  const std::string& said = answer.master_name;
  if (!said.empty() && said != step.rules().host && step.rules().find(said) &&
      search.hints.insert(said).second) {
    search.hint = said;
  } else if (living_candidate) {
    search.next = step.own_rank();  // it will be master before those after it
  }
  ask_next(step);
}

void search_failed(LimStep& step, const event::DialFailed& failure) {
  Search& search = step.lim.search;
  if (!search.active || search.asked != failure.host) return;
  if (step.rules().rank(failure.host) < step.own_rank()) search.silence |= !failure.refused;
  ask_next(step);
}

void search_announced(LimStep& step, const std::string& host) {
  Lim& lim = step.lim;
  if (lim.role == Role::following) {
    if (host == lim.master) {
      // Both may have dialled at the same time. Else the master has lost our link, and will announce itself again.
      if (step.now - lim.followed_at < breather(step)) return;
      close_link(step, lim.connection);
      lim.role = Role::looking;
      lim.master.clear();
      lim.connection = 0;
      return ask_first(step, host);
    }
    if (step.rules().rank(host) < step.rules().rank(lim.master)) return ask_first(step, host);
    lim.renew_at = step.now;  // check our master: it should have told the other one
    return;
  }
  if (before_us(step, host)) return ask_first(step, host);
  if (lim.search.active)
    lim.search.behind = host;
  else
    start_search(step, host);
}

void search_tick(LimStep& step) {
  Search& search = step.lim.search;
  if (search.active || !search.again_at || step.now < *search.again_at) return;
  start_search(step, follows_one_behind(step) ? step.lim.master : "");
}

}  // namespace rollcall::lim
