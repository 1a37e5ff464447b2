// ResEngine: what runs jobs on their hosts is RES: the one place of mbatchd that turns the orders of the Book into RES's messages.
//
// It owns nothing and keeps nothing: an order for a host that is not connected is dropped, since what still counts of it comes
// again when RES says what it holds (sched/policy/book.hpp). Call it after the commit that the order belongs to.
#pragma once

#include <string>

#include "sched/mbatchd/host_links.hpp"
#include "sched/policy/book.hpp"

namespace rollcall::mbatchd {

class ResEngine {
 public:
  ResEngine(const sched::Book& book, HostLinks& hosts) : book_(book), hosts_(hosts) {}

  // An Order* effect; the others are nothing to a host.
  void carry_out(const sched::Effect& order);
  // RES itself starts again or ends; its jobs go on. False where it is not connected.
  bool restart(const std::string& host, bool stop);

 private:
  void send(const sched::effect::OrderStart& order);
  void send(const sched::effect::OrderExpect& order);
  void send(const sched::effect::OrderSignal& order);
  void send(const sched::effect::OrderAcknowledge& order);
  void send(const sched::effect::OrderRelease& order);

  const sched::Book& book_;
  HostLinks& hosts_;
};

}  // namespace rollcall::mbatchd
