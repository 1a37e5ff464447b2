#include "sched/policy/lease/export_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <limits>
#include <set>

#include "common/base/host_list.hpp"
#include "common/conf/host_section.hpp"
#include "sched/policy/lease/distribution.hpp"
#include "sched/policy/lease/exports.hpp"

namespace rollcall::sched::lease {
namespace {

constexpr std::string_view kDetected = "!";

// A host as the files have it.
class FileHost final : public resreq::HostView {
 public:
  FileHost(HostFacts facts, const IndexTable& indices) : facts_(std::move(facts)), indices_(indices) {}

  double number(ResourceId id) const override {
    const std::string_view text = word(id);
    return text.empty() ? std::numeric_limits<double>::quiet_NaN()
                        : std::strtod(std::string(text).c_str(), nullptr);
  }
  std::string_view word(ResourceId id) const override {
    const std::string& name = indices_.at(id).name;
    if (name == "hname") return facts_.name;
    if (name == "type") return facts_.type;
    if (name == "model") return facts_.model == kDetected ? std::string_view{} : facts_.model;
    const auto value = facts_.values.find(name);
    return value == facts_.values.end() ? std::string_view{} : value->second;
  }
  bool has(ResourceId id) const override {
    const auto& booleans = facts_.booleans;
    return std::find(booleans.begin(), booleans.end(), indices_.at(id).name) != booleans.end() ||
           !word(id).empty();
  }

 private:
  HostFacts facts_;
  const IndexTable& indices_;
};

// As if LIM detected `type` wherever the files leave it open.
conf::Problems check_as(const std::string& type, const std::vector<ExportPolicy>& policies,
                        const conf::ClusterFiles& files) {
  std::deque<FileHost> views;
  std::vector<ExportHost> hosts;
  for (const conf::ClusterHost& row : files.cluster.hosts) {
    HostFacts facts = files.facts(row);
    if (facts.type == kDetected || facts.type.empty()) facts.type = type;
    ExportHost host{facts.name, facts.type, 1, true, nullptr};
    host.view = &views.emplace_back(std::move(facts), files.indices);
    hosts.push_back(std::move(host));
  }
  conf::Problems problems;
  check_exports(policies, hosts, files.indices, problems);
  return problems;
}

bool has_line(const conf::Problems& problems, const std::string& line) {
  return std::any_of(problems.all().begin(), problems.all().end(),
                     [&](const conf::Problem& problem) { return problem.line() == line; });
}

template <class Row>
conf::Place place_of_consumers(const Row& row) {
  return conf::place_of(row.places, "DISTRIBUTION", row.place);
}

void check_consumers(const std::vector<ExportPolicy>& policies, const conf::PeerSettings& peers,
                     conf::Problems& problems) {
  for (const ExportPolicy& policy : policies)
    for (const Consumer& consumer : policy.consumers) {
      if (!peers.key_directory.empty() && peers.cluster(consumer.cluster) != nullptr) continue;
      const bool whole = !policy.names_hosts() && !policy.shared;
      problems.warning(place_of_consumers(policy),
                       "DISTRIBUTION: found cluster " + printable(consumer.cluster) +
                           ", which is no peer of this cluster, expected a peer: " +
                           (whole ? "neither cluster can use the hosts that it gets"
                                  : "it cannot use what is exported to it"));
    }
}

// Calls take(resource, word) for each comparison of type or model with a word.
template <class Take>
class KindsNamed {
 public:
  explicit KindsNamed(const Take& take) : take_(take) {}
  void look(const resreq::ExpressionPointer& expression) const {
    if (expression) std::visit(*this, expression->node);
  }
  void operator()(const resreq::Unary& unary) const { look(unary.operand); }
  void operator()(const resreq::Chain& chain) const {
    look(chain.first);
    const resreq::Expression* before = chain.first.get();
    for (const auto& link : chain.rest) {
      if (link.op == resreq::Operator::equal || link.op == resreq::Operator::unequal ||
          link.op == resreq::Operator::fits)
        compare(*before, *link.operand);
      look(link.operand);
      before = link.operand.get();
    }
  }
  template <class Leaf>
  void operator()(const Leaf&) const {}

 private:
  void compare(const resreq::Expression& resource, const resreq::Expression& with) const {
    const auto* name = std::get_if<resreq::Name>(&resource.node);
    if (name == nullptr || (name->value != "type" && name->value != "model")) return;
    if (const auto* word = std::get_if<resreq::Name>(&with.node)) take_(name->value, word->value);
    if (const auto* text = std::get_if<resreq::Text>(&with.node)) take_(name->value, text->value);
  }
  const Take& take_;
};

// A requirement that cannot be understood has an error of check_exports().
void check_selection(const ExportPolicy& policy, const conf::ClusterFiles& files, conf::Problems& problems) {
  const auto parsed = resreq::parse(policy.select);
  if (policy.names_hosts() || parsed.error) return;
  const conf::Place place = conf::place_of(policy.places, "RES_SELECT", policy.place);
  const auto take = [&](const std::string& resource, const std::string& word) {
    const auto& types = files.shared.host_types;
    if (word == "any" || word == "local" || files.shared.model(word) || conf::is_detected_type(word) ||
        std::find(types.begin(), types.end(), word) != types.end())
      return;
    problems.warning(place, "RES_SELECT: found " + resource + " " + printable(word) + ", expected a " +
                                resource + " of lsf.shared: no host has it");
  };
  KindsNamed(take).look(parsed.value.select);
  resreq::ResReq rest = parsed.value;
  rest.select = nullptr;
  if (const std::string others = resreq::print(rest); !others.empty())
    problems.warning(place, "RES_SELECT: found " + printable(others) +
                                ", expected a selection alone: the rest has no effect");
}

// The hosts of each instance that may be exported; empty: the resource has none.
std::vector<std::vector<std::string>> exportable_instances(const std::string& name,
                                                           const conf::ClusterFiles& files) {
  std::vector<std::vector<std::string>> instances;
  const auto id = files.indices.find(name);
  if (!id || files.indices.at(*id).type != ResourceType::numeric) return instances;
  for (const auto& mapping : files.cluster.resource_map)
    for (const auto& instance : mapping.instances)
      if (mapping.resource == name && instance.kind == conf::ResourceInstance::Kind::shared)
        instances.push_back(instance.hosts);
  return instances;
}

// A host that a requirement chooses may be any.
bool reaches(const ExportPolicy& policy, const std::vector<std::vector<std::string>>& instances) {
  if (!policy.names_hosts()) return true;
  return std::any_of(instances.begin(), instances.end(), [&](const auto& hosts) {
    return std::any_of(hosts.begin(), hosts.end(), [&](const std::string& host) {
      return std::find(policy.hosts.begin(), policy.hosts.end(), host) != policy.hosts.end();
    });
  });
}

// What keeps a consumer from its part of the resource; "": nothing that the files tell.
std::string why_no_part(const std::string& cluster, const std::vector<ExportPolicy>& policies,
                        const std::vector<std::vector<std::string>>& instances) {
  bool any = false;
  for (const ExportPolicy& policy : policies)
    for (const Consumer& consumer : policy.consumers) {
      if (consumer.cluster != cluster) continue;
      if (reaches(policy, instances)) return "";
      any = true;
    }
  if (!any) return " without a HostExport, expected one";
  std::string hosts;
  for (const auto& instance : instances)
    for (const std::string& host : instance) hosts += (hosts.empty() ? "" : " ") + host;
  return " whose HostExport has no host with the resource, expected one of " + hosts;
}

// `sharing`: consumers that have a host with the resource.
void check_instances(const conf::SharedResourceExport& row, const std::vector<Consumer>& sharing,
                     conf::Problems& problems) {
  std::vector<std::int64_t> shares;
  for (const Consumer& consumer : sharing) shares.push_back(consumer.shares);
  if (shares.empty() || row.instances == 0) return;
  const auto parts = divide(row.instances, shares);
  for (std::size_t i = 0; i < sharing.size(); ++i)
    if (parts[i] == 0)
      problems.warning(place_of_consumers(row),
                       "DISTRIBUTION: found cluster " + printable(sharing[i].cluster) + ", whose share of " +
                           std::to_string(row.instances) + " instances is less than one, expected more: no " +
                           printable(row.name) + " is exported to it");
}

void check_shared_resources(const std::vector<conf::SharedResourceExport>& exports,
                            const std::vector<ExportPolicy>& policies, const conf::ClusterFiles& files,
                            conf::Problems& problems) {
  std::set<std::string> named;
  for (const conf::SharedResourceExport& row : exports) {
    const conf::Place of_name = conf::place_of(row.places, "NAME", row.place);
    if (!named.insert(row.name).second)
      problems.warning(of_name,
                       "NAME: found " + printable(row.name) +
                           ", which an earlier SharedResourceExport has, expected one for each resource: "
                           "this one is ignored");
    const auto instances = exportable_instances(row.name, files);
    if (instances.empty()) {
      problems.warning(of_name, "NAME: found " + printable(row.name) +
                                    ", expected a numeric resource that ResourceMap of lsf.cluster gives to "
                                    "hosts together: nothing is exported");
      continue;
    }
    const auto consumers = consumers_of(row.distribution, files.settings.cluster);
    if (consumers.empty())
      problems.warning(place_of_consumers(row),
                       "DISTRIBUTION: found no cluster but this one, expected another one: no " +
                           printable(row.name) + " is exported");
    std::vector<Consumer> sharing;
    for (const Consumer& consumer : consumers) {
      const auto why = why_no_part(consumer.cluster, policies, instances);
      if (why.empty())
        sharing.push_back(consumer);
      else
        problems.warning(place_of_consumers(row), "DISTRIBUTION: found cluster " +
                                                      printable(consumer.cluster) + why + ": no " +
                                                      printable(row.name) + " is exported to it");
    }
    check_instances(row, sharing, problems);
  }
}

}  // namespace

void check_export_files(const conf::ClusterFiles& files, const conf::LsbFiles& lsb,
                        const conf::PeerSettings& peers, conf::Problems& problems) {
  const std::string& own = files.settings.cluster;
  const auto policies = export_policies(lsb.resources.host_exports, own, [&files](std::string_view name) {
    return files.names.official(name);
  });
  // LIM may detect any type: a problem counts where each type that a host may have leads to it.
  std::vector<std::string> types = files.shared.host_types;
  types.emplace_back(kDetected);
  std::vector<conf::Problem> found = check_as(types.front(), policies, files).all();
  for (const std::string& type : types) {
    const conf::Problems of_type = check_as(type, policies, files);
    std::erase_if(found, [&](const conf::Problem& problem) { return !has_line(of_type, problem.line()); });
  }
  for (const conf::Problem& problem : found)
    problem.kind == conf::Problem::Kind::warning ? problems.warning(problem.place, problem.text)
                                                 : problems.error(problem.place, problem.text);
  for (const ExportPolicy& policy : policies) check_selection(policy, files, problems);
  check_consumers(policies, peers, problems);
  check_shared_resources(lsb.resources.resource_exports, policies, files, problems);
}

}  // namespace rollcall::sched::lease
