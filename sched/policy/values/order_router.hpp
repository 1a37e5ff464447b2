// OrderRouter: an engine made of several: it passes each order to the engine of its host.
//
// It has no state and knows no engine: engine_of() is the rule. It drops an order for a host without an engine, like an order for a
// host that is not reached. Orders for one host keep their sequence, since one engine gets all of them. `Interface` is Engine, or
// an interface that adds to it (mbatchd's).
#pragma once

#include <string>
#include <utility>

#include "sched/policy/values/engine.hpp"

namespace rollcall::sched {

template <class Interface>
class OrderRouter : public Interface {
 public:
  void start(const std::string& host, order::Start order) final {
    if (Interface* engine = engine_of(host)) engine->start(host, std::move(order));
  }
  void expect(const std::string& host, const order::Expect& order) final {
    if (Interface* engine = engine_of(host)) engine->expect(host, order);
  }
  void go(const std::string& host, const Attempt& attempt) final {
    if (Interface* engine = engine_of(host)) engine->go(host, attempt);
  }
  void signal(const std::string& host, const order::Signal& order) final {
    if (Interface* engine = engine_of(host)) engine->signal(host, order);
  }
  void acknowledge(const std::string& host, const Attempt& attempt) final {
    if (Interface* engine = engine_of(host)) engine->acknowledge(host, attempt);
  }
  void release(const std::string& host, const Attempt& attempt) final {
    if (Interface* engine = engine_of(host)) engine->release(host, attempt);
  }

 protected:
  // Depends on the host's name alone. nullptr: no engine runs jobs there.
  virtual Interface* engine_of(const std::string& host) const = 0;
};

}  // namespace rollcall::sched
