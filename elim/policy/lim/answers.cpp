#include "elim/policy/lim/answers.hpp"

#include <algorithm>
#include <limits>

#include "common/wire/host_facts.hpp"

namespace rollcall::lim {
namespace {

using Reply = wire::Reply;
using Request = wire::Request;

// The largest topology that is sent, so that a part fits into a frame whatever a host reports.
constexpr std::size_t kMostTopology = 512 * 1024;

// The resources that lsload has columns for: the built-in indices, and those that every host reports for itself.
std::vector<ResourceId> load_columns(const LimRules& rules) {
  std::vector<ResourceId> columns;
  for (ResourceId id = 0; id < kBuiltInIndices; ++id) columns.push_back(id);
  std::vector<ResourceId> own = rules.resource_map.each_host;
  std::sort(own.begin(), own.end());
  own.erase(std::unique(own.begin(), own.end()), own.end());
  for (const ResourceId id : own)
    if (id >= kBuiltInIndices) columns.push_back(id);
  return columns;
}

QueueForm form_of(Request::AskLoad::Queue queue) {
  switch (queue) {
    case Request::AskLoad::EFFECTIVE:
      return QueueForm::effective;
    case Request::AskLoad::NORMALISED:
      return QueueForm::normalised;
    default:
      return QueueForm::raw;
  }
}

void add_columns(const ClusterView& view, const std::vector<ResourceId>& columns, Reply::Loads& loads) {
  for (const ResourceId id : columns) {
    const auto& definition = view.indices().at(id);
    loads.add_names(definition.name);
    loads.add_types(static_cast<std::uint32_t>(definition.type));
    loads.add_built_in(definition.built_in);
    loads.add_orders(static_cast<std::uint32_t>(definition.order));
  }
}

std::uint32_t age_of(const std::optional<Duration>& age) {
  constexpr auto kNever = std::numeric_limits<std::uint32_t>::max();
  if (!age) return kNever;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(*age).count();
  return static_cast<std::uint32_t>(std::min<std::int64_t>(ms, kNever - 1));
}

void add_load(const ClusterView& view, const Request::AskLoad& ask, const Chosen::Host& chosen,
              const std::vector<ResourceId>& columns, Reply::Loads& loads) {
  const HostIndex host = chosen.host;
  auto& load = *loads.add_hosts();
  load.set_host(view.name(host));
  load.set_slots(chosen.slots);
  *load.mutable_status() = view.status(host);
  const auto& beyond = view.entry(host).condition.beyond;
  for (std::size_t place = 0; place < columns.size(); ++place) {
    const ResourceId id = columns[place];
    load.add_values(view.number(host, id, form_of(ask.queue())));
    load.add_age_ms(age_of(view.age(host, id)));
    if (const auto word = view.word(host, id); !word.empty()) {
      auto& added = *load.add_words();
      added.set_index(static_cast<std::uint32_t>(place));
      added.set_value(std::string(word));
    }
    if (view.up(host) && std::binary_search(beyond.begin(), beyond.end(), id))
      load.add_beyond(static_cast<std::uint32_t>(place));
  }
  if (ask.elims())
    for (const auto& elim : view.entry(host).elims) *load.add_elims() = elim;
}

wire::Facts facts_of(const ClusterView& view, HostIndex host, bool topology) {
  wire::Facts facts = wire::to_wire(view.facts(host));
  facts.clear_topology();
  const auto& tree = view.entry(host).topology;
  if (topology && tree && tree->size() <= kMostTopology) facts.set_topology(*tree);
  const auto& row = view.files().cluster.hosts[host];
  facts.set_run_windows(row.run_windows.text());
  for (const auto& [name, value] : row.thresholds) {
    auto& threshold = *facts.add_thresholds();
    threshold.set_name(name);
    threshold.set_value(value);
  }
  return facts;
}

// As lsload -N shows them.
void add_normalised(const ClusterView& view, HostIndex host, Reply::Load& load) {
  for (const ResourceId id : {r15s, r1m, r15m})
    load.add_normalised(view.number(host, id, QueueForm::normalised));
}

}  // namespace

Reply refusal(Reply::Refusal::Why why, std::string text) {
  Reply reply;
  reply.set_last(true);
  reply.mutable_refusal()->set_why(why);
  reply.mutable_refusal()->set_text(std::move(text));
  return reply;
}

Reply not_master_answer(const Lim& lim) {
  const std::string& master = lim.master_name();
  Reply reply =
      refusal(Reply::Refusal::NOT_MASTER, master.empty() ? "no master is known" : "the master is " + master);
  reply.mutable_refusal()->set_master(master);
  return reply;
}

Reply identity_answer(const Lim& lim, const conf::ClusterFiles& files, const AboutUs& us) {
  Reply reply;
  reply.set_last(true);
  auto& identity = *reply.mutable_identity();
  identity.set_cluster(files.cluster.name);
  identity.set_master(lim.master_name());
  if (!files.candidates.empty()) identity.set_first_candidate(files.candidates.front());
  const auto& administrators = files.cluster.administrators;
  identity.set_administrator(administrators.empty() ? "root" : administrators.front());
  identity.set_hosts(static_cast<std::uint32_t>(files.cluster.hosts.size()));
  identity.set_servers(static_cast<std::uint32_t>(std::count_if(
      files.cluster.hosts.begin(), files.cluster.hosts.end(), [](const auto& host) { return host.server; })));
  identity.set_host(lim.rules->host);
  identity.set_version(us.version);
  identity.set_caller(us.caller);
  if (lim.mastership) {
    std::uint32_t up = 0;
    for (HostIndex host = 0; host < lim.mastership->table.size(); ++host)
      up += lim.mastership->table[host].presence == Presence::up ? 1 : 0;
    identity.set_hosts_up(up);
  }
  return reply;
}

Reply resources_answer(const conf::ClusterFiles& files) {
  Reply reply;
  reply.set_last(true);
  auto& answer = *reply.mutable_resources();
  for (const auto& definition : files.indices.all()) {
    auto& resource = *answer.add_resources();
    resource.set_name(definition.name);
    resource.set_type(static_cast<std::uint32_t>(definition.type));
    resource.set_order(static_cast<std::uint32_t>(definition.order));
    if (definition.interval) resource.set_interval(static_cast<std::uint32_t>(*definition.interval));
    resource.set_release(definition.release);
    if (definition.consumable) resource.set_consumable(*definition.consumable);
    resource.set_description(definition.description);
    resource.set_built_in(definition.built_in);
  }
  for (const auto& type : files.shared.host_types) answer.add_types(type);
  for (const auto& known : files.shared.models) {
    auto& model = *answer.add_models();
    model.set_name(known.name);
    model.set_cpu_factor(known.cpu_factor);
    for (const auto& architecture : known.architectures) model.add_architectures(architecture);
  }
  return reply;
}

std::optional<Reply> hosts_part(const ClusterView& view, const Request::AskHosts& ask, const Chosen& chosen,
                                std::size_t& from) {
  if (from > chosen.hosts.size()) return std::nullopt;
  Reply reply;
  auto& hosts = *reply.mutable_hosts();
  std::size_t bytes = 0;
  for (; from < chosen.hosts.size() && bytes < kPartBytes; ++from) {
    const HostIndex host = chosen.hosts[from].host;
    *hosts.add_hosts() = facts_of(view, host, ask.topology());
    hosts.add_up(view.up(host));
    bytes += hosts.hosts(hosts.hosts_size() - 1).ByteSizeLong();
  }
  if (from == chosen.hosts.size()) {
    reply.set_last(true);
    ++from;
  }
  return reply;
}

std::optional<Reply> load_part(const ClusterView& view, const Request::AskLoad& ask, const Chosen& chosen,
                               std::size_t& from) {
  if (from > chosen.hosts.size()) return std::nullopt;
  const auto columns = load_columns(view.rules());
  Reply reply;
  auto& loads = *reply.mutable_loads();
  if (from == 0) add_columns(view, columns, loads);
  std::size_t bytes = 0;
  for (; from < chosen.hosts.size() && bytes < kPartBytes; ++from) {
    add_load(view, ask, chosen.hosts[from], columns, loads);
    bytes += loads.hosts(loads.hosts_size() - 1).ByteSizeLong();
  }
  if (from == chosen.hosts.size()) {
    reply.set_last(true);
    ++from;
  }
  return reply;
}

ClusterProgress begin_cluster_answer(const ClusterView& view) {
  ClusterProgress progress;
  progress.hosts = choose(view, Request::AskHosts());
  progress.loads = choose(view, Request::AskLoad());
  return progress;
}

std::optional<Reply> cluster_part(const ClusterView& view, ClusterProgress& progress) {
  Reply reply;
  auto& cluster = *reply.mutable_cluster();
  if (auto part = hosts_part(view, {}, progress.hosts, progress.next_host)) {
    cluster.mutable_hosts()->Swap(part->mutable_hosts());
    return reply;
  }
  Request::AskLoad ask;
  ask.set_queue(Request::AskLoad::EFFECTIVE);
  const std::size_t first = progress.next_load;
  if (auto part = load_part(view, ask, progress.loads, progress.next_load)) {
    auto& loads = *cluster.mutable_loads();
    loads.Swap(part->mutable_loads());
    for (int i = 0; i < loads.hosts_size(); ++i)
      add_normalised(view, progress.loads.hosts[first + static_cast<std::size_t>(i)].host,
                     *loads.mutable_hosts(i));
    return reply;
  }
  if (progress.shareds.empty()) {
    Request::AskShared shared;
    shared.set_dynamic(true);
    progress.shareds = shared_answer(view, shared);
  }
  if (progress.next_shared == progress.shareds.size()) return std::nullopt;
  cluster.mutable_shareds()->Swap(progress.shareds[progress.next_shared++].mutable_shareds());
  reply.set_last(progress.next_shared == progress.shareds.size());
  return reply;
}

}  // namespace rollcall::lim
