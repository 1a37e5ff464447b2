// LimDriver: feeds the rules of one LIM with events and gives the texts of their effects. No process, no socket.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "elim/policy/lim/lim.hpp"
#include "tests/unit/elim/lim/lim_test_rules.hpp"

namespace rollcall::lim {

class LimDriver {
 public:
  using Texts = std::vector<std::string>;

  explicit LimDriver(const std::string& host) : LimDriver(test_rules(host)) {}
  explicit LimDriver(LimRules rules) : lim(std::make_shared<const LimRules>(std::move(rules))) {}

  // The texts of the effects without notes; the effects themselves are in `effects`.
  Texts tell(const Event& event) {
    effects = step(lim, event, now);
    EXPECT_EQ(broken_invariant(lim), "") << "after " << text(event);
    Texts texts;
    for (const Effect& effect : effects)
      if (!std::holds_alternative<effect::Note>(effect)) texts.push_back(text(effect));
    return texts;
  }
  // Lets time pass, with a Tick at every deadline. Gives the effects of all of it.
  Texts pass(Duration time) {
    const TimePoint end = now + time;
    Texts texts;
    while (true) {
      const auto deadline = next_deadline(lim);
      if (!deadline || *deadline > end) break;
      EXPECT_GT(*deadline, now) << "time does not pass";
      now = *deadline;
      for (std::string& text : tell(event::Tick{})) texts.push_back(std::move(text));
    }
    now = end;
    return texts;
  }

  Texts start() { return tell(event::Started{}); }
  Texts refuse(const std::string& host) { return tell(event::DialFailed{host, true}); }
  Texts silence(const std::string& host) { return tell(event::DialFailed{host, false}); }
  Texts answer(ConnectionId connection, const std::string& host, const std::string& master) {
    return tell(event::PeerAnswered{connection, host, "run", host == master, master});
  }
  Texts accept(ConnectionId connection, const std::string& host) {
    return tell(event::PeerAccepted{connection, host, "run"});
  }
  Texts announce(ConnectionId connection, const std::string& host) {
    accept(connection, host);
    Texts texts = tell(event::MasterAnnounced{connection});
    tell(event::LinkEnded{connection});
    return texts;
  }
  Texts register_host(ConnectionId connection, const std::string& host, const std::string& digest = "files") {
    accept(connection, host);
    HostFacts facts;
    facts.name = host;
    facts.ncpus = 4;
    return tell(event::HostRegistered{connection, facts, digest});
  }
  Texts report(ConnectionId connection, const wire::ToLim::Report& report) {
    return tell(event::HostReported{connection, report});
  }
  const HostEntry& entry(const std::string& host) const {
    return lim.mastership->table[*lim.rules->find(host)];
  }
  std::string notes() const {
    std::string all;
    for (const Effect& effect : effects)
      if (const auto* note = std::get_if<effect::Note>(&effect)) all += note->text + "\n";
    return all;
  }
  ResourceId id(const std::string& name) const { return *lim.rules->indices.find(name); }

  Lim lim;
  TimePoint now{std::chrono::seconds(1000)};
  Effects effects;
};

}  // namespace rollcall::lim
