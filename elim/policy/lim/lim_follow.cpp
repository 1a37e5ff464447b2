// Following a master: registering, reporting, and checking that it lives.
#include <algorithm>

#include "elim/policy/lim/lim_steps.hpp"

namespace rollcall::lim {
namespace {

// A third of the inactivity limit, so that two questions fit before it.
Duration patience(const LimStep& step) { return step.rules().inactivity() / 3; }

void heard_master(LimStep& step) {
  step.lim.master_heard = step.now;
  step.lim.renew_at = step.now + patience(step);
}

}  // namespace

Duration breather(const LimStep& step) { return std::min(kBreather, step.rules().exchange_interval); }

void send_report(LimStep& step) {
  Lim& lim = step.lim;
  step.out.emplace_back(
      effect::SendReport{lim.connection, lim.writer.next(lim.own, step.rules().indices, step.now)});
  lim.report_at = step.now + step.rules().exchange_interval;
}

void register_anew(LimStep& step) {
  step.lim.writer.start_anew();
  step.out.emplace_back(effect::SendRegister{step.lim.connection});
  send_report(step);
}

void follow(LimStep& step, ConnectionId connection, const std::string& host) {
  Lim& lim = step.lim;
  if (lim.role == Role::master) step_down(step, host + " is master");
  if (lim.connection != 0) close_link(step, lim.connection);
  lim.role = Role::following;
  lim.master = host;
  lim.connection = connection;
  lim.followed_at = step.now;
  heard_master(step);
  lim.search = {};
  if (step.candidate() && step.rules().rank(host) > step.own_rank())
    lim.search.again_at = step.now + step.rules().exchange_interval;
  step.say("the master is " + host);
  register_anew(step);
}

void lose_master(LimStep& step, const std::string& why) {
  Lim& lim = step.lim;
  step.say("lost the master " + lim.master + ": " + why);
  if (lim.peers.contains(lim.connection)) close_link(step, lim.connection);
  lim.connection = 0;
  lim.role = Role::looking;
  lim.master.clear();
  if (step.now - lim.followed_at >= breather(step)) return start_search(step);
  lim.search = {};
  lim.search.again_at = step.now + breather(step);
}

void master_renewed(LimStep& step, const event::PeerRenewed& renewed) {
  if (step.lim.role != Role::following || step.lim.connection != renewed.connection) return;
  heard_master(step);
  if (!renewed.master) lose_master(step, "it is master no more");
}

void orders_arrived(LimStep& step, const event::OrdersArrived& orders) {
  if (step.lim.role != Role::following || step.lim.connection != orders.connection) return;
  heard_master(step);
  order_melim(step, orders.resources, false);
}

void follow_tick(LimStep& step) {
  Lim& lim = step.lim;
  if (step.now - lim.master_heard >= step.rules().inactivity()) return lose_master(step, "it is silent");
  if (step.now >= lim.renew_at) {
    step.out.emplace_back(effect::SendRenew{lim.connection});
    lim.renew_at = step.now + patience(step);
  }
  if (step.now >= lim.report_at) send_report(step);
}

}  // namespace rollcall::lim
