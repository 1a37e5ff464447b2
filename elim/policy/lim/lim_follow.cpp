// Following a master: registering, reporting, asking whether it is there.
#include <algorithm>

#include "elim/policy/lim/lim_steps.hpp"

namespace rollcall::lim {
namespace {

// A third of the time after which it counts as gone: so that it has two chances.
Duration patience(const Turn& turn) { return turn.rules().inactivity() / 3; }

void heard_master(Turn& turn) {
  turn.lim.master_heard = turn.now;
  turn.lim.renew_at = turn.now + patience(turn);
}

}  // namespace

Duration breather(const Turn& turn) { return std::min(kBreather, turn.rules().exchange_interval); }

void send_report(Turn& turn) {
  Lim& lim = turn.lim;
  turn.out.emplace_back(
      effect::SendReport{lim.connection, lim.writer.next(lim.own, turn.rules().indices, turn.now)});
  lim.report_at = turn.now + turn.rules().exchange_interval;
}

void register_anew(Turn& turn) {
  turn.lim.writer.start_anew();
  turn.out.emplace_back(effect::SendRegister{turn.lim.connection});
  send_report(turn);
}

void follow(Turn& turn, ConnectionId connection, const std::string& host) {
  Lim& lim = turn.lim;
  if (lim.role == Role::master) step_down(turn, host + " is master");
  if (lim.connection != 0) close_link(turn, lim.connection);
  lim.role = Role::following;
  lim.master = host;
  lim.connection = connection;
  lim.followed_at = turn.now;
  heard_master(turn);
  lim.search = {};
  if (turn.candidate() && turn.rules().rank(host) > turn.own_rank())
    lim.search.again_at = turn.now + turn.rules().exchange_interval;
  turn.say("the master is " + host);
  register_anew(turn);
}

void lose_master(Turn& turn, const std::string& why) {
  Lim& lim = turn.lim;
  turn.say("lost the master " + lim.master + ": " + why);
  if (lim.peers.contains(lim.connection)) close_link(turn, lim.connection);
  lim.connection = 0;
  lim.role = Role::looking;
  lim.master.clear();
  if (turn.now - lim.followed_at >= breather(turn)) return start_search(turn);
  lim.search = {};
  lim.search.again_at = turn.now + breather(turn);
}

void master_renewed(Turn& turn, const event::PeerRenewed& renewed) {
  if (turn.lim.role != Role::following || turn.lim.connection != renewed.connection) return;
  heard_master(turn);
  if (!renewed.master) lose_master(turn, "it is master no more");
}

void orders_arrived(Turn& turn, const event::OrdersArrived& orders) {
  if (turn.lim.role != Role::following || turn.lim.connection != orders.connection) return;
  heard_master(turn);
  order_melim(turn, orders.resources, false);
}

void follow_tick(Turn& turn) {
  Lim& lim = turn.lim;
  if (turn.now - lim.master_heard >= turn.rules().inactivity()) return lose_master(turn, "it is silent");
  if (turn.now >= lim.renew_at) {
    turn.out.emplace_back(effect::SendRenew{lim.connection});
    lim.renew_at = turn.now + patience(turn);
  }
  if (turn.now >= lim.report_at) send_report(turn);
}

}  // namespace rollcall::lim
