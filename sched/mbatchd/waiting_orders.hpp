// WaitingOrders: the queues of orders for hosts whose connection has no room. The orders leave in sequence as the host reads.
//
// A turn may start any number of jobs on a host, each with a script of megabytes. So a queue holds the effect, which is small; the
// script is read when the order leaves. It knows neither connections nor the contents of orders. It drops the orders of a host that
// has disconnected: the Book orders again when the host returns.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>

#include "sched/policy/values/events_and_effects.hpp"

namespace rollcall::mbatchd {

class WaitingOrders {
 public:
  struct Handler {
    std::function<bool(const std::string& host)> has_room;
    std::function<void(const sched::Effect&)> give;
  };
  explicit WaitingOrders(Handler handler) : handler_(std::move(handler)) {}

  // Carries it out now, or after the orders before it have left. An effect that is no order for a host is carried out at once.
  void take(const sched::Effect& order);
  // To be called when the host may have room again.
  void room(const std::string& host);
  void gone(const std::string& host) { waiting_.erase(host); }

 private:
  Handler handler_;
  std::map<std::string, std::deque<sched::Effect>> waiting_;  // by host; none is empty
};

}  // namespace rollcall::mbatchd
