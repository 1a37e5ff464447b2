#include "elim/policy/lim/host_table.hpp"

#include <algorithm>

namespace rollcall::lim {

HostTable::HostTable(const std::vector<LimRules::Host>& hosts, ResourceId indices)
    : indices_(indices),
      entries_(hosts.size()),
      numbers_(hosts.size() * indices, kUnknownLoad),
      told_(hosts.size() * indices, kNever) {
  for (std::size_t i = 0; i < hosts.size(); ++i) entries_[i].facts.name = hosts[i].name;
}

std::string_view HostTable::word(HostIndex host, ResourceId id) const {
  for (const HostEntry::Word& word : entries_[host].words)
    if (word.id == id) return word.text;
  return {};
}

std::optional<TimePoint> HostTable::told(HostIndex host, ResourceId id) const {
  const TimePoint at = told_[place(host, id)];
  if (at == kNever) return std::nullopt;
  return at;
}

void HostTable::set_number(HostIndex host, ResourceId id, float value, TimePoint told) {
  const std::size_t at = place(host, id);
  numbers_[at] = known_load(value) ? value : kUnknownLoad;
  told_[at] = told;
}

void HostTable::set_word(HostIndex host, ResourceId id, std::string text, TimePoint told) {
  told_[place(host, id)] = told;
  auto& words = entries_[host].words;
  const auto found = std::find_if(words.begin(), words.end(), [&](const auto& w) { return w.id == id; });
  if (found != words.end())
    found->text = std::move(text);
  else
    words.push_back({id, std::move(text)});
}

void HostTable::refresh(HostIndex host, ResourceId id, TimePoint told) {
  TimePoint& at = told_[place(host, id)];
  if (at != kNever) at = told;
}

void HostTable::lose(HostIndex host, ResourceId id) {
  numbers_[place(host, id)] = kUnknownLoad;
  told_[place(host, id)] = kNever;
  std::erase_if(entries_[host].words, [&](const auto& w) { return w.id == id; });
}

void HostTable::set_facts(HostIndex host, HostFacts facts, std::string configuration) {
  HostEntry& entry = entries_[host];
  if (topologies_.size() > entries_.size())
    std::erase_if(topologies_, [](const auto& known) { return known.second.expired(); });
  std::weak_ptr<const std::string>& known = topologies_[facts.topology];
  entry.topology = known.lock();
  if (!entry.topology) known = entry.topology = std::make_shared<const std::string>(facts.topology);
  std::string().swap(facts.topology);  // not an assignment, which would keep the capacity for each host
  entry.facts = std::move(facts);
  entry.configuration = std::move(configuration);
  entry.registered = true;
}

void HostTable::adopt(HostIndex host, HostTable& old, HostIndex old_host,
                      const std::vector<std::optional<ResourceId>>& renumbered) {
  HostEntry& entry = entries_[host] = std::move(old.entries_[old_host]);
  if (entry.topology) topologies_[*entry.topology] = entry.topology;
  for (ResourceId id = 0; id < old.indices_; ++id) {
    if (!renumbered[id]) continue;
    numbers_[place(host, *renumbered[id])] = old.numbers_[old.place(old_host, id)];
    told_[place(host, *renumbered[id])] = old.told_[old.place(old_host, id)];
  }
  std::erase_if(entry.words, [&](const auto& word) { return !renumbered[word.id]; });
  for (HostEntry::Word& word : entry.words) word.id = *renumbered[word.id];
  auto& beyond = entry.condition.beyond;
  std::erase_if(beyond, [&](ResourceId id) { return !renumbered[id]; });
  for (ResourceId& id : beyond) id = *renumbered[id];
}

}  // namespace rollcall::lim
