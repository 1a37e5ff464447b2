// WaitingOrders: orders for hosts whose connection has no room: they leave in their order as it takes what was sent before.
//
// An order to start may carry a script of megabytes, and a turn starts any number of jobs on a host: what waits here is the effect,
// a few words, and the script is read when the order leaves. It owns the queues, and knows neither connections nor what an order
// says. Orders of a host that has gone are dropped: the Book gives them again when it comes.
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

  // Gives it now, or when those before it have left. What is no order of a host is given now.
  void take(const sched::Effect& order);
  // There may be room.
  void room(const std::string& host);
  void gone(const std::string& host) { waiting_.erase(host); }

 private:
  Handler handler_;
  std::map<std::string, std::deque<sched::Effect>> waiting_;  // by host; none is empty
};

}  // namespace rollcall::mbatchd
