#include "elim/policy/lim/cluster_view.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "elim/policy/load/load_math.hpp"

namespace rollcall::lim {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// Parses a static number; invalid ones were rejected when the files were read.
double number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : kNothing;
}

// Static numbers of every host. 0: not detected.
struct StaticNumber {
  std::string_view name;
  double (*of)(const HostFacts&);
};
constexpr std::array<StaticNumber, 10> kStaticNumbers{{
    {"ncpus", [](const HostFacts& f) { return f.ncpus > 0 ? f.ncpus : kNothing; }},
    {"nprocs", [](const HostFacts& f) { return f.nprocs > 0 ? f.nprocs : kNothing; }},
    {"ncores", [](const HostFacts& f) { return f.ncores > 0 ? f.ncores : kNothing; }},
    {"nthreads", [](const HostFacts& f) { return f.nthreads > 0 ? f.nthreads : kNothing; }},
    {"ndisks", [](const HostFacts& f) { return static_cast<double>(f.ndisks); }},
    {"maxmem", [](const HostFacts& f) { return f.maxmem > 0 ? static_cast<double>(f.maxmem) : kNothing; }},
    {"maxswp", [](const HostFacts& f) { return static_cast<double>(f.maxswp); }},
    {"maxtmp", [](const HostFacts& f) { return f.maxtmp > 0 ? static_cast<double>(f.maxtmp) : kNothing; }},
    {"cpuf", [](const HostFacts& f) { return f.cpu_factor; }},
    {"rexpri", [](const HostFacts& f) { return static_cast<double>(f.rexpri); }},
}};

std::optional<double> static_number(const HostFacts& facts, std::string_view name) {
  for (const auto& known : kStaticNumbers)
    if (known.name == name) return known.of(facts);
  return std::nullopt;
}

}  // namespace

SharedPlaces::SharedPlaces(const conf::ClusterFiles& files, const LimRules& rules) {
  for (std::size_t i = 0; i < rules.resource_map.shared.size(); ++i) {
    const auto& instance = rules.resource_map.shared[i];
    auto& places = places_[instance.resource];
    for (const HostIndex host : instance.hosts) places[host].instance = i;
  }
  for (const auto& mapping : files.cluster.resource_map) {
    const auto id = rules.indices.find(mapping.resource);
    if (!id || rules.indices.at(*id).dynamic()) continue;
    for (const auto& instance : mapping.instances) {
      if (instance.kind == conf::ResourceInstance::Kind::each_host) continue;
      auto& places = places_[*id];
      for (const auto& name : instance.hosts)
        if (const auto host = rules.find(name)) places[*host].value = instance.value.value_or("");
    }
  }
}

const SharedPlaces::Place* SharedPlaces::find(ResourceId id, HostIndex host) const {
  const auto resource = places_.find(id);
  if (resource == places_.end()) return nullptr;
  const auto place = resource->second.find(host);
  return place == resource->second.end() ? nullptr : &place->second;
}

wire::Reply::Status ClusterView::status(HostIndex host) const {
  return lim::status(up(host), entry(host).condition);
}

std::string ClusterView::status_word(HostIndex host) const {
  const auto bits = status(host);
  if (bits.unavailable()) return "unavail";
  std::string locks;
  if (bits.locked_by_administrator()) locks += 'U';
  if (bits.locked_by_window()) locks += 'W';
  if (bits.locked_by_master()) locks += 'M';
  const std::string word = !locks.empty() ? "lock" + locks : bits.busy() ? "busy" : "ok";
  return bits.res_down() ? "-" + word : word;
}

HostFacts ClusterView::facts(HostIndex host) const {
  if (entry(host).registered) return entry(host).facts;
  return files_.facts(files_.cluster.hosts[host]);
}

const SharedValue* ClusterView::shared_of(HostIndex host, ResourceId id) const {
  const auto* place = shared_.find(id, host);
  if (place == nullptr || !place->instance) return nullptr;
  const auto& values = lim_.mastership->shared;
  return *place->instance < values.size() ? &values[*place->instance] : nullptr;
}

float ClusterView::number(HostIndex host, ResourceId id, QueueForm queue) const {
  if (const auto* shared = shared_of(host, id)) return shared->number;
  if (!up(host)) return kUnknownLoad;
  const float value = table().number(host, id);
  if (!is_queue(id) || !known_load(value)) return value;
  const HostEntry& row = entry(host);
  const float added = left_of(row.raise, now_, rules().exchange_interval * rules().adjust_duration);
  return queue_length(value + added, queue, load::queue_cpus(row.facts), row.facts.cpu_factor);
}

std::string_view ClusterView::word(HostIndex host, ResourceId id) const {
  if (const auto* shared = shared_of(host, id)) return shared->word;
  return up(host) ? table().word(host, id) : std::string_view();
}

std::optional<Duration> ClusterView::age(HostIndex host, ResourceId id) const {
  std::optional<TimePoint> told = table().told(host, id);
  if (const auto* shared = shared_of(host, id)) told = shared->told;
  if (!told) return std::nullopt;
  return std::max(now_ - *told, Duration{0});
}

// ---- ViewedHost

const HostFacts& ViewedHost::facts() const {
  const HostEntry& entry = view_->entry(host_);
  if (entry.registered) return entry.facts;
  if (!from_files_) from_files_ = std::make_shared<const HostFacts>(view_->facts(host_));
  return *from_files_;
}

double ViewedHost::number(ResourceId id) const {
  const auto& definition = view_->indices().at(id);
  if (definition.dynamic()) {
    const float value = view_->number(host_, id, queue_);
    return known_load(value) ? value : kNothing;
  }
  if (definition.built_in) return static_number(facts(), definition.name).value_or(kNothing);
  return number_of(word(id));
}

std::string_view ViewedHost::word(ResourceId id) const {
  const auto& definition = view_->indices().at(id);
  if (definition.dynamic()) return view_->word(host_, id);
  if (definition.name == "hname") return view_->name(host_);
  if (definition.name == "type") return facts().type;
  if (definition.name == "model") return facts().model;
  if (definition.name == "status") return status_ = view_->status_word(host_);
  const auto& values = facts().values;
  if (const auto found = values.find(definition.name); found != values.end()) return found->second;
  const auto* place = view_->shared().find(id, host_);
  return place == nullptr ? std::string_view() : std::string_view(place->value);
}

bool ViewedHost::has(ResourceId id) const {
  const auto& definition = view_->indices().at(id);
  if (definition.name == "server") return facts().server;
  if (definition.type == ResourceType::boolean) {
    const auto& booleans = facts().booleans;
    return std::find(booleans.begin(), booleans.end(), definition.name) != booleans.end();
  }
  return definition.type == ResourceType::string ? !word(id).empty() : !std::isnan(number(id));
}

}  // namespace rollcall::lim
