// Who is master: asking the candidates before us, one after the other (the table in lim.hpp).
#include <algorithm>

#include "elim/policy/lim/lim_steps.hpp"

namespace rollcall::lim {
namespace {

// True where `host` would be master before us: or we never will be.
bool before_us(const Turn& turn, const std::string& host) {
  return !turn.candidate() || turn.rules().rank(host) < turn.own_rank();
}
bool follows_one_behind(const Turn& turn) {
  return turn.lim.role == Role::following && !before_us(turn, turn.lim.master);
}

void again_in(Turn& turn, Duration wait) { turn.lim.search.again_at = turn.now + wait; }

// Every candidate before us has been asked, and none is master.
void conclude(Turn& turn) {
  Search& search = turn.lim.search;
  search.active = false;
  search.asked.clear();
  if (turn.lim.role == Role::following && !follows_one_behind(turn)) {
    search = {};
    return;
  }
  again_in(turn, turn.rules().exchange_interval);
  if (!turn.candidate() || !turn.rules().find(turn.rules().host)) return;
  const TimePoint due = turn.lim.master_heard + turn.rules().takeover(turn.own_rank());
  const bool need_not_wait = !search.life && (!search.silence || !search.behind.empty());
  if (need_not_wait || turn.now >= due) return become_master(turn);
  search.again_at = std::min(*search.again_at, due);
}

void ask(Turn& turn, std::string host) {
  dial(turn, host);
  turn.lim.search.asked = std::move(host);
}

void ask_next(Turn& turn) {
  Search& search = turn.lim.search;
  if (!search.hint.empty()) return ask(turn, std::exchange(search.hint, {}));
  if (search.next < turn.own_rank()) return ask(turn, turn.rules().candidates[search.next++]);
  // Somebody before us lives and will be master; until then the one behind us shows the load.
  if (search.life && !search.behind.empty() && turn.lim.role == Role::looking)
    return ask(turn, std::exchange(search.behind, {}));
  conclude(turn);
}

// `host` is asked at once, and then the candidates where it is not master after all.
void ask_first(Turn& turn, const std::string& host) {
  Search search;
  search.active = true;
  search.hint = host;
  search.hints.insert(host);
  // Who has a good master asks nobody else.
  const bool content = turn.lim.role == Role::following && !follows_one_behind(turn);
  if (content) search.next = turn.own_rank();
  if (follows_one_behind(turn)) search.behind = turn.lim.master;
  turn.lim.search = std::move(search);
  ask_next(turn);
}

void master_answered(Turn& turn, const event::PeerAnswered& answer, bool awaited) {
  Search& search = turn.lim.search;
  const bool looking = turn.lim.role == Role::looking;
  if (before_us(turn, answer.host)) {
    if (looking || turn.rules().rank(answer.host) < turn.rules().rank(turn.lim.master))
      return follow(turn, answer.connection, answer.host);
    close_link(turn, answer.connection);
    if (awaited) ask_next(turn);
    return;
  }
  const bool all_asked = search.next >= turn.own_rank();
  if (looking && awaited && all_asked && search.life) return follow(turn, answer.connection, answer.host);
  close_link(turn, answer.connection);
  search.behind = answer.host;
  if (awaited) return ask_next(turn);
  if (looking && !search.active) start_search(turn, answer.host);
}

}  // namespace

void start_search(Turn& turn, const std::string& behind) {
  turn.lim.search = {};
  turn.lim.search.active = true;
  turn.lim.search.behind = behind;
  ask_next(turn);
}

void search_answered(Turn& turn, const event::PeerAnswered& answer) {
  Search& search = turn.lim.search;
  const bool awaited = search.active && search.asked == answer.host;
  if (answer.master) return master_answered(turn, answer, awaited);
  close_link(turn, answer.connection);
  if (!awaited) return;
  const bool living_candidate = turn.rules().rank(answer.host) < turn.own_rank();
  search.life |= living_candidate;
  const std::string& said = answer.master_name;
  if (!said.empty() && said != turn.rules().host && turn.rules().find(said) &&
      search.hints.insert(said).second) {
    search.hint = said;
  } else if (living_candidate) {
    search.next = turn.own_rank();  // it will be master before those after it
  }
  ask_next(turn);
}

void search_failed(Turn& turn, const event::DialFailed& failure) {
  Search& search = turn.lim.search;
  if (!search.active || search.asked != failure.host) return;
  if (turn.rules().rank(failure.host) < turn.own_rank()) search.silence |= !failure.refused;
  ask_next(turn);
}

void search_announced(Turn& turn, const std::string& host) {
  Lim& lim = turn.lim;
  if (lim.role == Role::following) {
    if (host == lim.master) {
      // It dialled us while we dialled it; else it has lost our link, and will say so again.
      if (turn.now - lim.followed_at < breather(turn)) return;
      close_link(turn, lim.connection);
      lim.role = Role::looking;
      lim.master.clear();
      lim.connection = 0;
      return ask_first(turn, host);
    }
    if (turn.rules().rank(host) < turn.rules().rank(lim.master)) return ask_first(turn, host);
    lim.renew_at = turn.now;  // ours would have told it: is it still there?
    return;
  }
  if (before_us(turn, host)) return ask_first(turn, host);
  if (lim.search.active)
    lim.search.behind = host;
  else
    start_search(turn, host);
}

void search_tick(Turn& turn) {
  Search& search = turn.lim.search;
  if (search.active || !search.again_at || turn.now < *search.again_at) return;
  start_search(turn, follows_one_behind(turn) ? turn.lim.master : "");
}

}  // namespace rollcall::lim
