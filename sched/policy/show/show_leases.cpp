#include "sched/policy/show/show_leases.hpp"

#include <algorithm>

#include "common/base/table_cells.hpp"
#include "common/conf/words.hpp"
#include "sched/policy/show/show_text.hpp"

namespace rollcall::sched::show {
namespace {

using Leases = wire::BatchReply::Leases;
using LeaseRow = wire::BatchReply::LeaseRow;
using LeasedHost = wire::BatchReply::LeasedHost;
using LeasedInstances = wire::BatchReply::LeasedInstances;
using Counts = wire::BatchReply::Counts;

const char* flow(const LeaseRow& lease) { return lease.imports() ? "IMPORT" : "EXPORT"; }
const char* type(const LeaseRow& lease) { return lease.shared() ? "shared" : "exclusive"; }
std::string or_dash(const std::string& word) { return word.empty() ? "-" : word; }
std::string number(std::int64_t value) { return std::to_string(value); }
// Of the hosts that were asked for: it may keep others.
bool is_taken_back(const LeaseRow& lease) {
  return lease.state() == "recalling" || lease.state() == "inactive";
}
// A blank is left before the widest amount of memory that MEM and SWP of lsb.resources take.
std::string megabytes(bool has, std::int64_t value) {
  return " " + right(has ? number(value) + "M" : "-", 10);
}

std::string job_cells(const Counts& counts) {
  return right_apart(number(counts.jobs()), 7) + right_apart(number(counts.running()), 7) +
         right_apart(number(counts.ssusp()), 7) + right_apart(number(counts.ususp()), 7) +
         right_apart(number(counts.reserved()), 7);
}

void add(const Counts& counts, Counts& to) {
  to.set_jobs(to.jobs() + counts.jobs());
  to.set_running(to.running() + counts.running());
  to.set_ssusp(to.ssusp() + counts.ssusp());
  to.set_ususp(to.ususp() + counts.ususp());
  to.set_reserved(to.reserved() + counts.reserved());
}

// A host with the sums of all leases that have it.
struct ExportedHost {
  std::string name;
  std::int64_t slots = 0;
  Counts counts;
};
std::vector<ExportedHost> sums_of(const Leases& leases) {
  std::vector<ExportedHost> hosts;
  for (const LeaseRow& lease : leases.rows())
    for (const LeasedHost& host : lease.hosts()) {
      auto of = std::find_if(hosts.begin(), hosts.end(),
                             [&](const ExportedHost& known) { return known.name == host.host(); });
      if (of == hosts.end()) of = hosts.insert(hosts.end(), {host.host(), 0, {}});
      of->slots += host.exported();
      add(host.counts(), of->counts);
    }
  return hosts;
}

constexpr auto kHosts = [](const LeaseRow& lease) -> const auto& { return lease.hosts(); };
constexpr auto kResources = [](const LeaseRow& lease) -> const auto& { return lease.resources(); };

// A text for each host or resource of each lease.
template <class Items, class Text>
std::vector<std::string> text_of_each(const Leases& leases, const Items& items, const Text& text) {
  std::vector<std::string> texts;
  for (const LeaseRow& lease : leases.rows())
    for (const auto& item : items(lease)) texts.push_back(text(lease, item));
  return texts;
}
template <class Items>
bool has_any(const Leases& leases, const Items& items) {
  return std::any_of(leases.rows().begin(), leases.rows().end(),
                     [&](const LeaseRow& lease) { return !items(lease).empty(); });
}

std::string names_of(const LeaseRow& lease) {
  std::string names;
  for (const LeasedHost& host : lease.hosts()) names += (names.empty() ? "" : " ") + host.host();
  return names;
}

}  // namespace

std::string lease_block(const LeaseRows& leases, bool all) {
  std::string text = "[Resource Lease Information ]\n";
  if (leases.empty()) return text + "No resources have been exported or borrowed\n";
  const auto line = [all](const std::string& cluster, const std::string& direction, const std::string& status,
                          const std::string& lease, const std::string& state, const std::string& kind,
                          const std::string& grant, const std::string& reason) {
    const std::string short_one = left(cluster, 15) + " " + left(direction, 14) + " ";
    if (!all) return short_one + status + "\n";
    return short_one + left(status, 7) + left(lease, 15) + " " + left(state, 10) + left(kind, 10) +
           left(grant, 10) + reason + "\n";
  };
  text += line("REMOTE_CLUSTER", "RESOURCE_FLOW", "STATUS", "LEASE", "STATE", "TYPE", "GRANT", "REASON");
  for (const LeaseRow& lease : leases)
    text += line(lease.cluster(), flow(lease), lease.status(), or_dash(lease.lease()), or_dash(lease.state()),
                 type(lease), or_dash(lease.grant()), or_dash(lease.reason()));
  return text;
}

std::string difference_block(
    const google::protobuf::RepeatedPtrField<wire::BatchReply::ClusterDifference>& differences) {
  if (differences.empty()) return "";
  std::string text = "\n[Resource Definitions ]\n" + left("REMOTE_CLUSTER", 16) + "DIFFERENCE\n";
  for (const auto& row : differences) text += left(row.cluster(), 15) + " " + row.text() + "\n";
  return text;
}

std::vector<std::string> lease_records(const LeaseRows& leases, bool all) {
  std::vector<std::string> records;
  for (const LeaseRow& lease : leases) {
    JsonRecord record{
        {"REMOTE_CLUSTER", lease.cluster()}, {"RESOURCE_FLOW", flow(lease)}, {"STATUS", lease.status()}};
    if (all)
      record.insert(record.end(), {{"LEASE", lease.lease()},
                                   {"STATE", lease.state()},
                                   {"TYPE", type(lease)},
                                   {"GRANT", lease.grant()},
                                   {"REASON", lease.reason()}});
    records.push_back(json_record(record));
  }
  return records;
}

bool exports_hosts(const Leases& leases) { return has_any(leases, kHosts); }

std::string exported_hosts_table(const Leases& leases, bool wide) {
  std::string text = "HOST_NAME             MAX  NJOBS    RUN  SSUSP  USUSP    RSV \n";
  for (const ExportedHost& host : sums_of(leases))
    text += left(wide ? host.name : host.name.substr(0, 18), 18) + right_apart(number(host.slots), 7) +
            job_cells(host.counts) + "\n";
  return text;
}

std::string exported_hosts_long(const Leases& leases) {
  const auto line = [](const LeaseRow& lease, const LeasedHost& host) {
    return left(host.host(), 18) + " " + left(lease.cluster(), 15) + " " + left(lease.lease(), 15) + " " +
           left(lease.state(), 10) + " " + left(type(lease), 9) + right_apart(number(host.exported()), 7) +
           right_apart(number(host.slots()), 7) + job_cells(host.counts()) +
           megabytes(host.has_memory_mb(), host.memory_mb()) + megabytes(host.has_swap_mb(), host.swap_mb()) +
           "\n";
  };
  return "HOST_NAME          CONSUMER        LEASE           STATE      TYPE         MAX   HELD  NJOBS    "
         "RUN  SSUSP  USUSP    RSV        MEM        SWP\n" +
         conf::join(text_of_each(leases, kHosts, line), "");
}

std::string exported_hosts_json(const Leases& leases) {
  const auto record = [](const LeaseRow& lease, const LeasedHost& host) {
    return json_record({{"HOST_NAME", host.host()},
                        {"CONSUMER", lease.cluster()},
                        {"LEASE", lease.lease()},
                        {"STATE", lease.state()},
                        {"TYPE", type(lease)},
                        {"WHOLE", host.whole() ? "Y" : "N"},
                        {"MAX", number(host.exported())},
                        {"HELD", number(host.slots())},
                        {"NJOBS", number(host.counts().jobs())},
                        {"RUN", number(host.counts().running())},
                        {"SSUSP", number(host.counts().ssusp())},
                        {"USUSP", number(host.counts().ususp())},
                        {"RSV", number(host.counts().reserved())},
                        {"MEM_MB", host.has_memory_mb() ? number(host.memory_mb()) : ""},
                        {"SWP_MB", host.has_swap_mb() ? number(host.swap_mb()) : ""}});
  };
  return json_document("bhosts", "HOSTS", text_of_each(leases, kHosts, record));
}

std::vector<std::string> wasted_lines(const Leases& leases) {
  std::vector<std::string> lines;
  for (const LeaseRow& lease : leases.rows()) {
    LeaseRow whole = lease;
    auto& hosts = *whole.mutable_hosts();
    hosts.erase(std::remove_if(hosts.begin(), hosts.end(),
                               [](const LeasedHost& host) { return !host.whole() || host.exported() <= 0; }),
                hosts.end());
    if (lease.state() != "offered" || hosts.empty()) continue;
    lines.push_back("neither cluster can use " + names_of(whole) + ": cluster " + lease.cluster() +
                    " has not asked for lease " + lease.lease());
  }
  return lines;
}

std::vector<std::string> left_out_lines(const Leases& leases) {
  std::vector<std::string> lines;
  for (const LeaseRow& lease : leases.rows())
    if (!lease.reason().empty() && std::all_of(lease.hosts().begin(), lease.hosts().end(),
                                               [](const LeasedHost& host) { return host.exported() <= 0; }))
      lines.push_back(is_taken_back(lease)
                          ? "lease " + lease.lease() + " of cluster " + lease.cluster() + ": " +
                                lease.reason()
                          : "cluster " + lease.cluster() + " gets nothing: " + lease.reason());
  return lines;
}

bool exports_resources(const Leases& leases) { return has_any(leases, kResources); }

std::string exported_resources_table(const Leases& leases) {
  const auto line = [](const LeaseRow& lease, const LeasedInstances& resource) {
    return left(resource.resource(), 20) + right(fixed(resource.instances(), 1), 10) +
           right(fixed(resource.used(), 1), 15) + "       " + names_of(lease) + "\n";
  };
  return "RESOURCE                 TOTAL       RESERVED       LOCATION\n" +
         conf::join(text_of_each(leases, kResources, line), "");
}

std::string exported_resources_long(const Leases& leases) {
  const auto line = [](const LeaseRow& lease, const LeasedInstances& resource) {
    return left(resource.resource(), 20) + " " + left(lease.cluster(), 15) + " " + left(lease.lease(), 15) +
           " " + left(lease.state(), 10) + right(fixed(resource.instances(), 1), 11) +
           right(fixed(resource.used(), 1), 15) + "       " + names_of(lease) + "\n";
  };
  return "RESOURCE             CONSUMER        LEASE           STATE           TOTAL       RESERVED       "
         "LOCATION\n" +
         conf::join(text_of_each(leases, kResources, line), "");
}

std::string exported_resources_json(const Leases& leases) {
  const auto record = [](const LeaseRow& lease, const LeasedInstances& resource) {
    return json_record({{"RESOURCE", resource.resource()},
                        {"CONSUMER", lease.cluster()},
                        {"LEASE", lease.lease()},
                        {"STATE", lease.state()},
                        {"TOTAL", number(resource.instances())},
                        {"RESERVED", fixed(resource.used(), 1)},
                        {"LOCATION", names_of(lease)}});
  };
  return json_document("bhosts", "RESOURCES", text_of_each(leases, kResources, record));
}

}  // namespace rollcall::sched::show
