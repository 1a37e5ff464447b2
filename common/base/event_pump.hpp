// EventPump: hands a stepper its events one after the other, in the order in which they happened.
//
// An effect that is carried out may make something happen at once: that event waits until all effects of the present one are
// carried out. Pure: it does not know the stepper, its state or its effects. Owned by the shell of the stepper.
//
//   happened(event)  idle     -> steps this event, then every event that came meanwhile; idle again
//                    stepping -> queued
#pragma once

#include <deque>
#include <utility>

namespace rollcall {

template <class Event>
class EventPump {
 public:
  // `step(event)` makes one step and carries its effects out; it may call happened(). True: this call has stepped, and nothing
  // is queued any more.
  template <class Step>
  bool happened(Event event, const Step& step) {
    events_.push_back(std::move(event));
    if (stepping_) return false;
    stepping_ = true;
    while (!events_.empty()) {
      const Event next = std::move(events_.front());
      events_.pop_front();
      step(next);
    }
    stepping_ = false;
    return true;
  }

 private:
  std::deque<Event> events_;
  bool stepping_ = false;
};

}  // namespace rollcall
