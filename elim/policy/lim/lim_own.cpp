// This host's own load: what LIM samples, what the elims say, and whether it takes work.
#include <algorithm>
#include <cmath>

#include "elim/policy/lim/lim_steps.hpp"
#include "elim/policy/load/load_math.hpp"

namespace rollcall::lim {

void judge_own_load(Turn& turn) {
  Lim& lim = turn.lim;
  Condition& condition = lim.own.condition;
  if (lim.lock && lim.lock->until && turn.now >= *lim.lock->until) lim.lock.reset();
  condition.locked_by_administrator = lim.lock.has_value();
  condition.locked_until_us = lim.lock ? lim.lock->until_us : 0;
  condition.locked_by_window = !turn.rules().run_windows.open(lim.wall);
  condition.beyond =
      beyond(lim.own.load, turn.rules().thresholds, turn.rules().indices, load::queue_cpus(lim.facts));
}

namespace {

// One word of a MELIM report; what our files do not have is passed over.
void take(Turn& turn, const wire::MelimReport::Value& said) {
  Lim& lim = turn.lim;
  const auto id = turn.rules().indices.find(said.name());
  if (!id || *id >= lim.own.load.size()) return;
  const ResourceDefinition& definition = turn.rules().indices.at(*id);
  LoadValue& value = lim.own.load[*id];
  const bool number = said.value_case() == wire::MelimReport::Value::kNumber;
  if (number != (definition.type == ResourceType::numeric) || definition.type == ResourceType::boolean)
    return;
  if (definition.built_in && *id >= kBuiltInIndices) return;
  if (number)
    value.number = known_load(said.number()) ? said.number() : kUnknownLoad;
  else
    value.word = said.word();
  value.told = turn.now;
  if (*id < kBuiltInIndices) lim.overridden[*id] = true;
}

// What the elims of this host are not asked for any more is not this host's to say.
void forget_resources(Turn& turn, const std::vector<std::string>& old, const std::vector<std::string>& now) {
  Lim& lim = turn.lim;
  for (const std::string& name : old) {
    const auto id = turn.rules().indices.find(name);
    if (id && *id < lim.own.load.size() && std::find(now.begin(), now.end(), name) == now.end())
      lim.own.load[*id] = {};
  }
  if (!now.empty()) return;
  lim.own.elims.clear();
  lim.overridden.assign(kBuiltInIndices, false);
}

}  // namespace

void own_load_changed(Turn& turn) {
  judge_own_load(turn);
  show_own_load(turn);
  if (turn.lim.role == Role::following && turn.lim.writer.urgent(turn.lim.own)) send_report(turn);
}

void load_sampled(Turn& turn, const event::LoadSampled& sample) {
  Lim& lim = turn.lim;
  for (ResourceId id = 0; id < kBuiltInIndices; ++id) {
    if (lim.overridden[id]) continue;
    lim.own.load[id].number = known_load(sample.values[id]) ? sample.values[id] : kUnknownLoad;
    lim.own.load[id].told = turn.now;
  }
  lim.wall = sample.wall;
  lim.own.condition.res_down = sample.res_down;
  own_load_changed(turn);
}

void elims_reported(Turn& turn, const wire::MelimReport& report) {
  for (const auto& value : report.values()) take(turn, value);
  if (report.elims_size() > 0 || report.no_elims())
    turn.lim.own.elims.assign(report.elims().begin(), report.elims().end());
  own_load_changed(turn);
}

void lock_asked(Turn& turn, const event::LockAsked& lock) {
  Lim::Lock next;
  if (lock.seconds > 0) {
    next.until = turn.now + std::chrono::seconds(lock.seconds);
    next.until_us = lock.until_us;
  }
  turn.lim.lock = next;
  own_load_changed(turn);
}

void unlock(Turn& turn) {
  turn.lim.lock.reset();
  own_load_changed(turn);
}

void facts_found(Turn& turn, const event::FactsFound& found) {
  Lim& lim = turn.lim;
  HostFacts facts = found.facts;
  facts.name = turn.rules().host;
  if (lim.facts == facts) return;
  lim.facts = std::move(facts);
  judge_own_load(turn);
  if (lim.role == Role::master) {
    lim.mastership->table.set_facts(*turn.rules().find(turn.rules().host), lim.facts, turn.rules().digest);
    show_own_load(turn);
  }
  if (lim.role == Role::following) register_anew(turn);
}

void order_melim(Turn& turn, std::vector<std::string> resources, bool master) {
  Lim& lim = turn.lim;
  if (lim.melim && lim.melim->resources == resources && lim.melim->master == master) return;
  forget_resources(turn, lim.melim ? lim.melim->resources : std::vector<std::string>{}, resources);
  lim.melim = effect::OrderMelim{std::move(resources), master};
  turn.out.emplace_back(*lim.melim);
}

}  // namespace rollcall::lim
