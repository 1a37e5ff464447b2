// This host's own load: LIM's samples, the elims' reports, and whether the host takes work.
#include <algorithm>
#include <cmath>

#include "elim/policy/lim/lim_steps.hpp"
#include "elim/policy/load/load_math.hpp"

namespace rollcall::lim {

void judge_own_load(LimStep& step) {
  Lim& lim = step.lim;
  Condition& condition = lim.own.condition;
  if (lim.lock && lim.lock->until && step.now >= *lim.lock->until) lim.lock.reset();
  condition.locked_by_administrator = lim.lock.has_value();
  condition.locked_until_us = lim.lock ? lim.lock->until_us : 0;
  condition.locked_by_window = !step.rules().run_windows.open(lim.wall);
  condition.beyond =
      beyond(lim.own.load, step.rules().thresholds, step.rules().indices, load::queue_cpus(lim.facts));
}

namespace {

// Takes one value of a MELIM report; ignores names that the files do not have.
void take(LimStep& step, const wire::MelimReport::Value& said) {
  Lim& lim = step.lim;
  const auto id = step.rules().indices.find(said.name());
  if (!id || *id >= lim.own.load.size()) return;
  const ResourceDefinition& definition = step.rules().indices.at(*id);
  LoadValue& value = lim.own.load[*id];
  const bool number = said.value_case() == wire::MelimReport::Value::kNumber;
  if (number != (definition.type == ResourceType::numeric) || definition.type == ResourceType::boolean)
    return;
  if (definition.built_in && *id >= kBuiltInIndices) return;
  if (number)
    value.number = known_load(said.number()) ? said.number() : kUnknownLoad;
  else
    value.word = said.word();
  value.told = step.now;
  if (*id < kBuiltInIndices) lim.overridden[*id] = true;
}

// Forgets the values of resources that this host's elims no longer report.
void forget_resources(LimStep& step, const std::vector<std::string>& old,
                      const std::vector<std::string>& now) {
  Lim& lim = step.lim;
  for (const std::string& name : old) {
    const auto id = step.rules().indices.find(name);
    if (id && *id < lim.own.load.size() && std::find(now.begin(), now.end(), name) == now.end())
      lim.own.load[*id] = {};
  }
  if (!now.empty()) return;
  lim.own.elims.clear();
  lim.overridden.assign(kBuiltInIndices, false);
}

}  // namespace

void own_load_changed(LimStep& step) {
  judge_own_load(step);
  show_own_load(step);
  if (step.lim.role == Role::following && step.lim.writer.urgent(step.lim.own)) send_report(step);
}

void load_sampled(LimStep& step, const event::LoadSampled& sample) {
  Lim& lim = step.lim;
  for (ResourceId id = 0; id < kBuiltInIndices; ++id) {
    if (lim.overridden[id]) continue;
    lim.own.load[id].number = known_load(sample.values[id]) ? sample.values[id] : kUnknownLoad;
    lim.own.load[id].told = step.now;
  }
  lim.wall = sample.wall;
  lim.own.condition.res_down = sample.res_down;
  own_load_changed(step);
}

void elims_reported(LimStep& step, const wire::MelimReport& report) {
  for (const auto& value : report.values()) take(step, value);
  if (report.elims_size() > 0 || report.no_elims())
    step.lim.own.elims.assign(report.elims().begin(), report.elims().end());
  own_load_changed(step);
}

void lock_asked(LimStep& step, const event::LockAsked& lock) {
  Lim::Lock next;
  if (lock.seconds > 0) {
    next.until = step.now + std::chrono::seconds(lock.seconds);
    next.until_us = lock.until_us;
  }
  step.lim.lock = next;
  own_load_changed(step);
}

void unlock(LimStep& step) {
  step.lim.lock.reset();
  own_load_changed(step);
}

void facts_found(LimStep& step, const event::FactsFound& found) {
  Lim& lim = step.lim;
  HostFacts facts = found.facts;
  facts.name = step.rules().host;
  if (lim.facts == facts) return;
  lim.facts = std::move(facts);
  judge_own_load(step);
  if (lim.role == Role::master) {
    lim.mastership->table.set_facts(*step.rules().find(step.rules().host), lim.facts, step.rules().digest);
    show_own_load(step);
  }
  if (lim.role == Role::following) register_anew(step);
}

void order_melim(LimStep& step, std::vector<std::string> resources, bool master) {
  Lim& lim = step.lim;
  if (lim.melim && lim.melim->resources == resources && lim.melim->master == master) return;
  forget_resources(step, lim.melim ? lim.melim->resources : std::vector<std::string>{}, resources);
  lim.melim = effect::OrderMelim{std::move(resources), master};
  step.out.emplace_back(*lim.melim);
}

}  // namespace rollcall::lim
