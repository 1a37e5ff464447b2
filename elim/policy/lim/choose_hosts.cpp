// Chooses the hosts of an answer (answers.hpp), and describes shared resources.
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>

#include "elim/policy/lim/answers.hpp"

namespace rollcall::lim {
namespace {

using Reply = wire::Reply;
using Request = wire::Request;
using Why = Reply::Refusal::Why;

// A resource that every host shares lists its hosts up to this many. Beyond, `all` stands for them, so that a part fits a frame.
constexpr std::size_t kMostListed = 10'000;

Reply bad_resreq(const resreq::ParseError& error) {
  Reply reply = refusal(Reply::Refusal::BAD_RESREQ, error.text);
  reply.mutable_refusal()->set_offset(static_cast<std::uint32_t>(error.offset));
  return reply;
}

// Binds a requirement to this cluster's resources, or says what is wrong with it.
struct Bound {
  resreq::BoundSelect select;
  resreq::BoundOrder order;
  std::optional<Reply> refused;
};

resreq::BindContext context(const ClusterView& view, const std::string& from_host, bool default_local) {
  resreq::BindContext context;
  context.indices = &view.indices();
  context.default_type_local = default_local;
  context.official_host = [&view](std::string_view name) { return view.files().names.official(name); };
  const auto official = view.files().names.official(from_host);
  if (const auto from = official ? view.rules().find(*official) : std::nullopt) {
    const HostFacts facts = view.facts(*from);
    context.local_type = facts.type;
    context.local_model = facts.model;
  }
  return context;
}

Bound bind_all(const ClusterView& view, const std::string& text, const resreq::BindContext& context) {
  Bound bound;
  const auto parsed = resreq::parse(text, {view.files().settings.strict_resreq});
  if (parsed.error) {
    bound.refused = bad_resreq(*parsed.error);
    return bound;
  }
  const auto select = resreq::bind(parsed.value.select, context);
  const auto order = resreq::bind_order(parsed.value.order, view.indices());
  if (select.error || order.error) {
    bound.refused = bad_resreq(select.error ? *select.error : *order.error);
    return bound;
  }
  bound.select = *select.select;
  bound.order = order.order;
  return bound;
}

// The hosts that were asked for, in the order of the files; `all` where none were named.
struct Named {
  std::vector<HostIndex> hosts;
  std::optional<Reply> refused;
};
template <class Names>
Named named(const ClusterView& view, const Names& names, bool servers_only) {
  Named result;
  if (names.empty()) {
    for (HostIndex host = 0; host < view.size(); ++host)
      if (!servers_only || view.rules().hosts[host].server) result.hosts.push_back(host);
    return result;
  }
  for (const auto& name : names) {
    const auto official = view.files().names.official(name);
    const auto host = official ? view.rules().find(*official) : std::nullopt;
    if (!host) {
      result.refused =
          refusal(Reply::Refusal::UNKNOWN_HOST,
                  "found the host " + name + ", expected one of cluster " + view.files().cluster.name);
      return result;
    }
    result.hosts.push_back(*host);
  }
  std::sort(result.hosts.begin(), result.hosts.end());
  result.hosts.erase(std::unique(result.hosts.begin(), result.hosts.end()), result.hosts.end());
  return result;
}

bool usable(const ClusterView& view, HostIndex host) { return view.status_word(host) == "ok"; }

// Hosts that fit, least loaded first. An empty requirement fits every host, unavailable ones too.
std::vector<HostIndex> fitting(const ClusterView& view, const std::vector<HostIndex>& hosts,
                               const Bound& bound, bool only_usable) {
  std::vector<ViewedHost> fit;
  fit.reserve(hosts.size());
  for (const HostIndex host : hosts) {
    if (only_usable && !usable(view, host)) continue;
    if (bound.select.matches(ViewedHost(view, host, QueueForm::effective)))
      fit.emplace_back(view, host, QueueForm::normalised);
  }
  std::vector<const resreq::HostView*> pointers;
  pointers.reserve(fit.size());
  for (const auto& host : fit) pointers.push_back(&host);
  std::vector<HostIndex> result;
  result.reserve(fit.size());
  for (const std::size_t place : resreq::sorted(pointers, bound.order)) result.push_back(fit[place].index());
  return result;
}

// lsplace: one slot for each host, best first, until there are `most`. Where that is fewer than `least`, the hosts get a second
// slot and so on, up to their number of CPUs.
std::vector<Chosen::Host> place(const ClusterView& view, const std::vector<HostIndex>& best,
                                std::uint32_t least, std::uint32_t most) {
  if (least == 0 && most == 0) most = static_cast<std::uint32_t>(best.size());
  const std::uint32_t wanted = most == 0 ? least : std::max(least, most);
  std::vector<Chosen::Host> chosen;
  std::uint32_t slots = 0;
  for (; chosen.size() < best.size() && slots < wanted; ++slots) chosen.push_back({best[chosen.size()], 1});
  for (bool added = true; added && slots < least;) {
    added = false;
    for (auto& host : chosen) {
      if (slots >= least || static_cast<int>(host.slots) >= view.facts(host.host).ncpus) continue;
      ++host.slots;
      ++slots;
      added = true;
    }
  }
  if (slots < std::max<std::uint32_t>(least, 1)) chosen.clear();
  return chosen;
}

std::string shown(const ClusterView& view, ResourceId id, const SharedValue& value) {
  if (view.indices().at(id).type == ResourceType::string) return value.word.empty() ? "-" : value.word;
  if (!known_load(value.number)) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.1f", static_cast<double>(value.number));
  return text;
}

using ServerNames = std::set<std::string_view>;

// `servers`: all of the cluster. Other hosts may share a resource too: as many hosts as there are servers need not be these.
void add_shared(const ClusterView& view, ResourceId id, const std::string& value,
                const std::vector<std::string>& hosts, const ServerNames& servers, Reply::Shareds& shareds) {
  auto& shared = *shareds.add_shareds();
  shared.set_resource(view.indices().at(id).name);
  shared.set_value(value);
  if (hosts.size() >= servers.size()) {
    const std::set<std::string_view> sharing(hosts.begin(), hosts.end());
    shared.set_all(std::includes(sharing.begin(), sharing.end(), servers.begin(), servers.end()));
  }
  if (!shared.all() || hosts.size() <= kMostListed)
    for (const auto& host : hosts) shared.add_hosts(host);
}

void add_dynamic(const ClusterView& view, ResourceId id, const ServerNames& servers,
                 Reply::Shareds& shareds) {
  const auto& instances = view.rules().resource_map.shared;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    if (instances[i].resource != id) continue;
    std::vector<std::string> hosts;
    for (const HostIndex host : instances[i].hosts) hosts.push_back(view.name(host));
    add_shared(view, id, shown(view, id, view.shared_value(i)), hosts, servers, shareds);
  }
}

// A host's own static resources: of column RESOURCES and VALUE@[default].
struct OwnValue {
  std::string value;
  HostIndex host = 0;
};
using OwnValues = std::map<std::string, std::vector<OwnValue>, std::less<>>;  // by resource
OwnValues own_values(const ClusterView& view) {
  OwnValues all;
  for (HostIndex host = 0; host < view.size(); ++host)
    for (const auto& [name, value] : view.facts(host).values) all[name].push_back({value, host});
  return all;
}

void add_own(const ClusterView& view, ResourceId id, const OwnValues& values, std::vector<Reply>& parts) {
  const auto found = values.find(view.indices().at(id).name);
  if (found == values.end()) return;
  std::size_t bytes = parts.back().ByteSizeLong();
  for (const auto& own : found->second) {
    if (bytes > kPartBytes) bytes = 0, parts.emplace_back();
    bytes += found->first.size() + own.value.size() + view.name(own.host).size() + 16;
    auto& shared = *parts.back().mutable_shareds()->add_shareds();
    shared.set_resource(found->first);
    shared.set_value(own.value);
    shared.add_hosts(view.name(own.host));
  }
}

void add_static(const ClusterView& view, ResourceId id, const ServerNames& servers, Reply::Shareds& shareds) {
  const std::string& name = view.indices().at(id).name;
  for (const auto& mapping : view.files().cluster.resource_map) {
    if (mapping.resource != name) continue;
    for (const auto& instance : mapping.instances)
      if (instance.kind == conf::ResourceInstance::Kind::shared)
        add_shared(view, id, instance.value.value_or("-"), instance.hosts, servers, shareds);
  }
}

}  // namespace

Chosen choose(const ClusterView& view, const Request::AskHosts& ask) {
  Chosen chosen;
  auto hosts = named(view, ask.hosts(), false);
  const Bound bound = bind_all(view, ask.resreq(), context(view, ask.from_host(), false));
  if (hosts.refused || bound.refused) {
    chosen.refused = hosts.refused ? hosts.refused : bound.refused;
    return chosen;
  }
  for (const HostIndex host : hosts.hosts)
    if (bound.select.matches(ViewedHost(view, host, QueueForm::effective))) chosen.hosts.push_back({host, 0});
  return chosen;
}

Chosen choose(const ClusterView& view, const Request::AskLoad& ask) {
  Chosen chosen;
  auto hosts = named(view, ask.hosts(), true);
  const Bound bound = bind_all(view, ask.resreq(), context(view, ask.from_host(), ask.default_local()));
  if (hosts.refused || bound.refused) {
    chosen.refused = hosts.refused ? hosts.refused : bound.refused;
    return chosen;
  }
  const auto best = fitting(view, hosts.hosts, bound, ask.only_usable());
  if (!ask.has_place()) {
    const std::size_t most = ask.most() > 0 ? ask.most() : best.size();
    for (std::size_t i = 0; i < std::min(best.size(), most); ++i) chosen.hosts.push_back({best[i], 0});
    return chosen;
  }
  chosen.hosts = place(view, best, ask.place(), ask.place_most());
  if (chosen.hosts.empty())
    chosen.refused = refusal(Reply::Refusal::NOT_ENOUGH, "Not enough host(s) currently eligible");
  return chosen;
}

std::vector<Reply> shared_answer(const ClusterView& view, const Request::AskShared& ask) {
  std::vector<ResourceId> wanted;
  for (const auto& name : ask.resources()) {
    const auto id = view.indices().find(name);
    if (!id)
      return {refusal(Reply::Refusal::FAILED, "found the resource " + name + ", expected one of lsf.shared")};
    wanted.push_back(*id);
  }
  if (wanted.empty())
    for (ResourceId id = 0; id < view.indices().size(); ++id) wanted.push_back(id);
  ServerNames servers;
  for (HostIndex host = 0; host < view.size(); ++host)
    if (view.rules().hosts[host].server) servers.insert(view.name(host));
  const OwnValues values = ask.dynamic() ? OwnValues() : own_values(view);
  std::vector<Reply> parts(1);
  parts.back().mutable_shareds();
  for (const ResourceId id : wanted) {
    if (view.indices().at(id).dynamic() != ask.dynamic()) continue;
    if (parts.back().ByteSizeLong() > kPartBytes) parts.emplace_back();
    auto& shareds = *parts.back().mutable_shareds();
    if (ask.dynamic()) {
      add_dynamic(view, id, servers, shareds);
    } else {
      add_static(view, id, servers, shareds);
      add_own(view, id, values, parts);
    }
  }
  parts.back().set_last(true);
  return parts;
}

}  // namespace rollcall::lim
