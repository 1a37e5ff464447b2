#include "common/conf/lsb/lsb_hosts.hpp"

#include <algorithm>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/lsb/lsb_queues.hpp"
#include "common/conf/row_reader.hpp"
#include "common/conf/without_effect.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

// As LSF: groups, partitions and compute units name no borrowed host, and no cluster.
constexpr const char* kNoBorrowedNames =
    "a host of this cluster, a pattern, or allremote for all borrowed hosts";

// A name twice in one section is an error; true where it is new.
template <class T>
bool is_new(const std::vector<T>& known, const std::string& name, const Row& row, Problems& problems) {
  if (name.empty()) return false;
  for (const T& other : known)
    if (other.name == name) {
      problems.error(row.place, "found " + printable(name) + " again (first at " + other.place.text() +
                                    "), expected it once");
      return false;
    }
  return true;
}

BatchHost read_host(const Row& row, const IndexTable& indices, Problems& problems) {
  RowReader cells(row, problems);
  BatchHost host;
  host.place = row.place;
  host.name = cells.required("HOST_NAME");
  const std::string slots = cells.word("MXJ");
  host.slots_of_cpus = slots == "!";
  if (!host.slots_of_cpus) host.slots = cells.whole("MXJ", 0, kMaxTasks);
  host.user_slots = cells.whole("JL/U", 0, kMaxTasks);
  host.dispatch_windows = cells.windows(row.given("DISPATCH_WINDOW") ? "DISPATCH_WINDOW" : "RUN_WINDOW");
  host.migrate_after = cells.whole("MIG", 0, kMaxTasks);
  const std::string checkpoint = cells.word("CHKPNT");
  host.checkpoint = same_name(checkpoint, "C") || parse_yes_no(checkpoint).value_or(false);
  host.exit_rate = cells.real("EXIT_RATE", 0, kMaxTasks);
  const auto affinity = parse_yes_no(cells.text("AFFINITY"));
  host.affinity = affinity ? (*affinity ? "Y" : "") : cells.text("AFFINITY");
  host.thresholds = read_thresholds(row, indices, problems);
  return host;
}

void read_hosts(const SectionFile& file, const IndexTable& indices, LsbHosts& hosts, Problems& problems,
                const std::vector<std::string>& told) {
  for (const Section* section : file.all("Host")) {
    Keywords keywords{
        {"HOST_NAME"},
        {"MXJ", "JL/U", "DISPATCH_WINDOW", "RUN_WINDOW", "MIG", "CHKPNT", "EXIT_RATE", "AFFINITY"}};
    keywords.known.insert(keywords.known.end(), told.begin(), told.end());
    const auto columns = threshold_keywords(*section, indices);
    keywords.known.insert(keywords.known.end(), columns.begin(), columns.end());
    if (!check_keywords(*section, keywords, problems)) continue;
    for (const Row& row : section->rows) {
      const int before = problems.errors();
      auto host = read_host(row, indices, problems);
      if (problems.errors() == before && is_new(hosts.hosts, host.name, row, problems))
        hosts.hosts.push_back(std::move(host));
    }
  }
}

}  // namespace

std::vector<std::string> read_members(RowReader& cells, std::string_view keyword) {
  std::vector<std::string> members;
  for (const std::string& word : cells.words(keyword)) {
    const auto member = parse_member(word);
    if (member && word.find('@') != std::string::npos)
      cells.error(keyword, word, kNoBorrowedNames);
    else if (member)
      members.push_back(*member);
    else
      cells.told(keyword, member.error().text);
  }
  return members;
}

LsbHosts read_lsb_hosts(const SectionFile& file, const IndexTable& indices, Problems& problems,
                        const std::vector<std::string>& told) {
  LsbHosts hosts;
  check_sections(file, {"Host", "HostGroup", "HostPartition", "ComputeUnit"}, problems);
  read_hosts(file, indices, hosts, problems, told);
  each_row(
      file, "HostGroup",
      with_known("lsb.hosts", "HostGroup", {{"GROUP_NAME", "GROUP_MEMBER"}, {"CONDENSE", "GROUP_ADMIN"}}),
      problems, [&](const Row& row) {
        RowReader cells(row, problems);
        HostGroup group{cells.required("GROUP_NAME"), read_members(cells, "GROUP_MEMBER"),
                        cells.yes_no("CONDENSE").value_or(false), cells.words("GROUP_ADMIN"), row.place};
        if (is_new(hosts.groups, group.name, row, problems)) hosts.groups.push_back(std::move(group));
      });
  each_row(file, "HostPartition", {{"HPART_NAME", "HOSTS", "USER_SHARES"}, {}}, problems,
           [&](const Row& row) {
             RowReader cells(row, problems);
             HostPartition partition{.name = cells.required("HPART_NAME"), .place = row.place};
             const auto items = parse_host_items(cells.words("HOSTS"));
             const auto shares = parse_shares(row.find("USER_SHARES")->text, 0);
             if (!items) cells.told("HOSTS", items.error().text);
             if (!shares) cells.told("USER_SHARES", shares.error().text);
             for (const HostItem& item : items ? *items : std::vector<HostItem>{})
               if (!item.cluster.empty())
                 return cells.error("HOSTS", item.name + "@" + item.cluster, kNoBorrowedNames);
             if (!items || !shares || !is_new(hosts.partitions, partition.name, row, problems)) return;
             partition.hosts = *items;
             partition.shares = *shares;
             hosts.partitions.push_back(std::move(partition));
           });
  each_row(file, "ComputeUnit", {{"NAME", "MEMBER", "TYPE"}, {"CONDENSE", "ADMIN"}}, problems,
           [&](const Row& row) {
             RowReader cells(row, problems);
             ComputeUnit unit{cells.required("NAME"), read_members(cells, "MEMBER"),
                              cells.required("TYPE"), cells.yes_no("CONDENSE").value_or(false),
                              cells.words("ADMIN"),   row.place};
             if (is_new(hosts.compute_units, unit.name, row, problems))
               hosts.compute_units.push_back(std::move(unit));
           });
  return hosts;
}

}  // namespace rollcall::conf
