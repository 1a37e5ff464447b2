// Under any events in any order a LIM keeps its invariants, uses only open connections, and never sets a deadline in the past.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "tests/unit/elim/lim/lim_driver.hpp"

namespace rollcall::lim {
namespace {

std::string any_host() { return *rc::gen::element<std::string>("a", "b", "c", "d", "e", "z"); }
ConnectionId any_connection() { return *rc::gen::inRange<ConnectionId>(1, 12); }
std::string any_index() {
  return *rc::gen::element<std::string>("r1m", "mem", "nio", "scratch", "licenses", "site", "x");
}

wire::ToLim::Report any_report() {
  wire::ToLim::Report report;
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) report.add_names(any_index());
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    report.add_index(*rc::gen::inRange(0U, 5U));
    report.add_value(static_cast<float>(*rc::gen::inRange(-5, 100)));
  }
  if (*rc::gen::arbitrary<bool>()) report.add_lost(*rc::gen::inRange(0U, 5U));
  if (*rc::gen::arbitrary<bool>()) report.mutable_condition()->add_beyond(*rc::gen::inRange(0U, 5U));
  return report;
}

wire::MelimReport any_elims() {
  wire::MelimReport report;
  auto& value = *report.add_values();
  value.set_name(any_index());
  if (*rc::gen::arbitrary<bool>())
    value.set_number(1);
  else
    value.set_word("w");
  return report;
}

std::shared_ptr<const LimRules> any_rules(const std::string& host) {
  LimRules rules = test_rules(host);
  if (*rc::gen::arbitrary<bool>()) rules.candidates = {any_host(), any_host()};
  if (*rc::gen::arbitrary<bool>()) {
    rules.hosts = {{"e"}, {host}, {"c", false}};
    rules.resource_map.shared = {{*rules.indices.find("scratch"), {0, 2}, false}};
  }
  if (*rc::gen::arbitrary<bool>()) {
    rules.indices = IndexTable();
    rules.indices.add({"scratch", ResourceType::string, ResourceOrder::none, 15});
    rules.resource_map = {{rules.indices.built_in()}, {}};
  }
  rules.index_names();
  return std::make_shared<const LimRules>(std::move(rules));
}

Event any_event(const std::string& own) {
  HostFacts facts;
  facts.name = any_host();
  switch (*rc::gen::inRange(0, 22)) {
    case 0:
      return event::Started{};
    case 1:
    case 2:
    case 3:
      return event::PeerAccepted{any_connection(), any_host(), "r"};
    case 4:
    case 5:
      return event::PeerAnswered{any_connection(), any_host(), "r", *rc::gen::arbitrary<bool>(), any_host()};
    case 6:
    case 7:
    case 8:
      return event::DialFailed{any_host(), *rc::gen::arbitrary<bool>()};
    case 9:
      return event::LinkEnded{any_connection()};
    case 10:
    case 11:
      return event::HostRegistered{any_connection(), facts, "files"};
    case 12:
      return event::HostReported{any_connection(), any_report()};
    case 13:
      return event::MasterAnnounced{any_connection()};
    case 14:
      return event::RenewAsked{any_connection()};
    case 15:
      return event::PeerRenewed{any_connection(), *rc::gen::arbitrary<bool>(), any_host()};
    case 16:
      return event::OrdersArrived{any_connection(), {any_index()}};
    case 17:
      return event::LoadSampled{};
    case 18:
      return event::ElimsReported{any_elims()};
    case 19:
      return event::LockAsked{*rc::gen::inRange(0U, 30U), 1};
    case 20:
      return event::Reconfigured{any_rules(own)};
    default:
      return event::FactsFound{facts};
  }
}

// Effects that the shell could not carry out.
struct Shell {
  std::set<ConnectionId> open;
  std::set<std::string> dialling;
  std::string wrong;

  void use(ConnectionId connection) {
    if (!open.contains(connection))
      wrong = "uses connection " + std::to_string(connection) + ", which is not open";
  }
  void carry_out(const Effect& effect) {
    if (const auto* e = std::get_if<effect::Dial>(&effect)) {
      if (!dialling.insert(e->host).second) wrong = "dials " + e->host + " twice";
    } else if (const auto* closed = std::get_if<effect::CloseLink>(&effect)) {
      use(closed->connection);
      open.erase(closed->connection);
    } else if (const auto* w = std::get_if<effect::Welcome>(&effect)) {
      use(w->connection);
    } else if (const auto* r = std::get_if<effect::SendRegister>(&effect)) {
      use(r->connection);
    } else if (const auto* p = std::get_if<effect::SendReport>(&effect)) {
      use(p->connection);
    } else if (const auto* a = std::get_if<effect::SendAnnounce>(&effect)) {
      use(a->connection);
    } else if (const auto* n = std::get_if<effect::SendRenew>(&effect)) {
      use(n->connection);
    } else if (const auto* o = std::get_if<effect::SendOrders>(&effect)) {
      use(o->connection);
    }
  }
};

RC_GTEST_PROP(LimProperty, StaysSoundUnderAnyEvents, ()) {
  const std::string own = *rc::gen::element<std::string>("a", "b", "d");
  LimDriver driver(own);
  Shell shell;
  ConnectionId fresh = 100;
  for (int i = 0; i < 60; ++i) {
    Event event = any_event(own);
    // What the shell promises: only a dial under way has an outcome, and each connection's number is new.
    if (auto* accepted = std::get_if<event::PeerAccepted>(&event)) {
      if (shell.open.contains(accepted->connection)) continue;
      shell.open.insert(accepted->connection);
    } else if (auto* answered = std::get_if<event::PeerAnswered>(&event)) {
      if (shell.dialling.erase(answered->host) == 0) continue;
      answered->connection = *rc::gen::arbitrary<bool>() ? ++fresh : 13 + fresh++ % 2;
      if (!shell.open.insert(answered->connection).second) continue;
    } else if (auto* failed = std::get_if<event::DialFailed>(&event)) {
      shell.dialling.erase(failed->host);
    } else if (auto* ended = std::get_if<event::LinkEnded>(&event)) {
      shell.open.erase(ended->connection);
    }
    driver.now = driver.now + std::chrono::milliseconds(*rc::gen::inRange(0, 8000));
    const Effects effects = step(driver.lim, event, driver.now);
    for (const Effect& effect : effects) shell.carry_out(effect);
    RC_ASSERT(shell.wrong == "");
    const std::string broken = broken_invariant(driver.lim);
    if (!broken.empty()) RC_FAIL(broken + " after " + text(event));
    const auto deadline = next_deadline(driver.lim);
    RC_ASSERT((!deadline || *deadline > driver.now));  // RC_ASSERT itself evaluates both sides
    RC_ASSERT(!driver.lim.started || deadline.has_value());
  }
}

}  // namespace
}  // namespace rollcall::lim
