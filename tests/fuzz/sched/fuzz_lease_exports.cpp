// Any bytes as lsb.resources of a provider. Its policies offer only hosts, slots and instances that exist, each once, and the same again
// while the file does not change. Each error is one line.
//
//   input = the text of lsb.resources
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sched/policy/lease/export_files.hpp"
#include "sched/policy/lease/lease_terms.hpp"
#include "tests/fuzz/common/conf_input.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/unit/sched/lease/farm.hpp"

using namespace rollcall;
using namespace rollcall::sched;
using rollcall::fuzz::require;

namespace {

constexpr int kHosts = 6, kSlotsOfHost = 4, kLicences = 10;
constexpr double kMemory = 1000;  // MB of a host, and of its swap space
constexpr const char* kCluster =
    "%% lsf.conf\nLSF_LOGDIR=/l\n%% lsf.shared\nBegin Cluster\nClusterName\nlab\neast\nwest\nEnd Cluster\n"
    "Begin HostType\nTYPENAME\nLINUX\nDLINUX\nEnd HostType\n"
    "Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION\nlic Numeric () N (x)\nEnd Resource\n"
    "%% lsf.cluster.lab\nBegin Host\nHOSTNAME type\nh0 LINUX\nh1 LINUX\nh2 LINUX\nh3 DLINUX\nh4 !\nh5 "
    "LINUX\nEnd "
    "Host\nBegin ResourceMap\nRESOURCENAME LOCATION\nlic (10@[h0 h1 h2 h3])\nEnd ResourceMap\n";
constexpr const char* kBatch =
    "%% lsb.params\nBegin Parameters\nDEFAULT_QUEUE = normal\nEnd Parameters\n"
    "%% lsb.queues\nBegin Queue\nQUEUE_NAME = normal\nEnd Queue\n%% lsb.resources\n";

const conf::ClusterFiles& cluster() {
  static const auto read = conf::read_cluster_files(conf::InputFiles(kCluster, {}).sources());
  require(read.files.has_value());
  return *read.files;
}

auto read(const std::string& resources) {
  const conf::InputFiles input(kBatch + resources, {{"lsb.", "/c/lsbatch/lab/configdir/"}});
  return conf::read_lsb_files(input.sources(), cluster());
}

lease::Farm farm_of() {
  lease::Farm farm;
  farm.indices = cluster().indices;
  for (int i = 0; i < kHosts; ++i) {
    farm.add("h" + std::to_string(i), i == 3 ? "DLINUX" : "LINUX", kSlotsOfHost, i != 5);
    farm.views.back().memory_mb = farm.views.back().swap_mb = kMemory;
  }
  return farm;
}

void lines_of(const conf::Problems& problems) {
  for (const conf::Problem& problem : problems.all())
    require(!problem.line().empty() && problem.line().find('\n') == std::string::npos);
}

// A whole host goes to one consumer of one policy; of a host that is named no more slots are exported than its policy says.
using Owners = std::map<std::string, std::pair<std::size_t, std::string>>;
Owners owners(const lease::Farm& farm, const std::vector<lease::Offer>& offers) {
  Owners of;
  std::map<std::pair<std::size_t, std::string>, int> slots, hosts;
  std::map<std::string, long> memory, swap;
  for (const lease::Offer& offer : offers) {
    require(offer.policy < farm.policies.size());
    const lease::ExportPolicy& policy = farm.policies[offer.policy];
    for (const lease::LeasedHost& host : offer.hosts) {
      require(farm.has(host.host) && host.slots > 0);
      memory[host.host] += host.memory_mb.value_or(0), swap[host.host] += host.swap_mb.value_or(0);
      require(static_cast<double>(memory[host.host]) <= kMemory &&
              static_cast<double>(swap[host.host]) <= kMemory);
      if (policy.names_hosts()) {
        require((slots[{offer.policy, host.host}] += host.slots) <= policy.slots);
        continue;
      }
      require(host.slots == kSlotsOfHost && ++hosts[{offer.policy, ""}] <= policy.most_hosts);
      require(of.emplace(host.host, std::pair{offer.policy, offer.consumer}).second);
    }
  }
  return of;
}

// Of the licences that there are.
void licences(const std::vector<conf::SharedResourceExport>& exports,
              const std::vector<lease::Offer>& offers) {
  const std::vector<lease::ResourceInstance> instances{
      {"lic", {"h0", "h1", "h2", "h3"}, kLicences, false, 0, 0}};
  const auto offered = lease::offered_resources(exports, "lab", offers, instances);
  require(offered.size() == offers.size());
  int all = 0;
  for (std::size_t i = 0; i < offers.size(); ++i)
    for (const lease::LeasedResource& one : offered[i]) {
      require(one.name == "lic" && one.instances > 0 && !one.hosts.empty());
      all += one.instances;
      std::set<std::string> has;
      for (const auto& host : offers[i].hosts) has.insert(host.host);
      for (const std::string& host : one.hosts) require(has.contains(host));
    }
  require(all <= kLicences);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool reads_none = read("").files.has_value();
  require(reads_none);  // else no input would come any further
  const auto checked = read({reinterpret_cast<const char*>(data), size});
  if (!checked.files) return 0;
  const conf::LsbResources& resources = checked.files->resources;
  lease::Farm farm = farm_of();
  farm.policies = lease::export_policies(resources.host_exports, "lab", [&](std::string_view host) {
    return farm.has(std::string(host)) ? std::optional<std::string>(host) : std::nullopt;
  });
  conf::Problems problems;
  lease::check_exports(farm.policies, farm.hosts, farm.indices, problems);
  lease::check_export_files(cluster(), *checked.files, {}, problems);
  lines_of(problems);
  for (const lease::ExportPolicy& policy : farm.policies)
    require(!lease::policy_name(policy).empty() && !lease::policy_terms(policy).empty());

  const auto offers = farm.offers();
  const Owners before = owners(farm, offers);
  for (const lease::LeftOut& one : lease::left_out(farm.policies, offers)) require(!one.why.empty());
  licences(resources.resource_exports, offers);
  farm.keep(offers);
  require(owners(farm, farm.offers()) == before);
  return 0;
}
