// One LIM in a test's hand: what it is told, and the texts of what it wants done.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "elim/policy/lim.hpp"

namespace rollcall::lim {

// Hosts a b c d e; candidates a b c. Exchange interval 10 s, host inactivity limit 3, master inactivity limit 2.
// Resources: nio of each host; licenses, one for all; scratch shared by (b c d) and by (e d); site, a word of each host.
inline LimRules test_rules(const std::string& host) {
  LimRules rules;
  rules.host = host;
  for (const char* name : {"a", "b", "c", "d", "e"}) rules.hosts.push_back({name});
  rules.candidates = {"a", "b", "c"};
  rules.exchange_interval = std::chrono::seconds(10);
  rules.host_inactivity_limit = 3;
  rules.master_inactivity_limit = 2;
  const auto numeric = ResourceType::numeric;
  const ResourceId nio = rules.indices.add({"nio", numeric, ResourceOrder::increasing, 15});
  const ResourceId licenses = rules.indices.add({"licenses", numeric, ResourceOrder::decreasing, 15});
  const ResourceId scratch = rules.indices.add({"scratch", numeric, ResourceOrder::decreasing, 15});
  const ResourceId site = rules.indices.add({"site", ResourceType::string, ResourceOrder::none, 60});
  rules.resource_map.each_host = {nio, site};
  rules.resource_map.shared = {
      {licenses, {0, 1, 2, 3, 4}, true}, {scratch, {1, 2, 3}, false}, {scratch, {4, 3}, false}};
  rules.digest = "files";
  rules.index_names();
  return rules;
}

class LimDriver {
 public:
  using Texts = std::vector<std::string>;

  explicit LimDriver(const std::string& host) : LimDriver(test_rules(host)) {}
  explicit LimDriver(LimRules rules) : lim(std::make_shared<const LimRules>(std::move(rules))) {}

  // The effects without notes; what is in them is in `effects`.
  Texts tell(const Event& event) {
    effects = step(lim, event, now);
    EXPECT_EQ(broken_invariant(lim), "") << "after " << text(event);
    Texts texts;
    for (const Effect& effect : effects)
      if (!std::holds_alternative<effect::Note>(effect)) texts.push_back(text(effect));
    return texts;
  }
  // Time passes, with a Tick whenever one is due. Everything that was wanted in it.
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
