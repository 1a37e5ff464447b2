#include "sched/policy/lease/kept_exports.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "common/base/host_list.hpp"
#include "common/conf/words.hpp"
#include "common/resreq/evaluate.hpp"

namespace rollcall::sched::lease {
namespace {

using conf::HostExport;
using conf::Problem;
using conf::SharedResourceExport;
using Names = std::set<std::string>;

// Why an export may be missing by a slip, with the place of the slip.
struct Doubt {
  conf::Place place;
  std::string why;
};

// The name of a file that lsb.resources includes can be any.
bool may_be_of_resources(const std::string& path) {
  static const std::set<std::string_view> others{"lsb.params", "lsb.queues",       "lsb.hosts",
                                                 "lsb.users",  "lsb.applications", "lsf.task"};
  return !others.contains(std::string_view(path).substr(path.rfind('/') + 1));
}

std::optional<Doubt> error_of(const conf::Problems& problems) {
  for (const Problem& problem : problems.all())
    if (problem.kind != Problem::Kind::warning && may_be_of_resources(problem.place.file))
      return Doubt{problem.place, problem.text};
  return std::nullopt;
}

bool has_consumer(const std::vector<conf::Share>& distribution, const std::string& cluster) {
  return std::any_of(distribution.begin(), distribution.end(),
                     [&](const conf::Share& share) { return share.name == cluster; });
}

std::string name_of(const SharedResourceExport& row) { return "resource " + printable(row.name); }
std::string name_of(const HostExport& row) {
  return row.hosts.empty() ? "RES_SELECT " + printable(row.select) : "PER_HOST " + conf::join(row.hosts);
}

class Keeper {
 public:
  Keeper(conf::LsbResources& read, const conf::LsbResources& before, const conf::ClusterFiles& files,
         const conf::PeerSettings& peers)
      : read_(read), before_(before), files_(files), peers_(peers) {}

  std::vector<std::string> keep(const std::optional<Doubt>& error) {
    for (SharedResourceExport& row : read_.resource_exports) keep_consumers(row, before_.resource_exports);
    for (HostExport& row : read_.host_exports) keep_consumers(row, before_.host_exports);
    if (error)
      for (const SharedResourceExport& row : before_.resource_exports)
        if (!find(read_.resource_exports, row)) stay(row, *error, read_.resource_exports);
    keep_hosts(error);
    return std::move(lines_);
  }

 private:
  static bool same(const SharedResourceExport& a, const SharedResourceExport& b) { return a.name == b.name; }
  bool same(const HostExport& a, const HostExport& b) const {
    return a.hosts.empty() == b.hosts.empty() &&
           (a.hosts.empty() ? a.select == b.select : hosts_of(a) == hosts_of(b));
  }
  template <class Row>
  const Row* find(const std::vector<Row>& rows, const Row& like) const {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return same(row, like); });
    return found == rows.end() ? nullptr : &*found;
  }

  Names hosts_of(const HostExport& row) const {
    Names hosts;
    for (const std::string& name : row.hosts) hosts.insert(files_.names.official(name).value_or(name));
    return hosts;
  }
  bool is_consumer(const std::string& cluster) const {
    return cluster == files_.settings.cluster || peers_.cluster(cluster) != nullptr;
  }

  template <class Row>
  void stay(const Row& row, const Doubt& doubt, std::vector<Row>& rows) {
    rows.push_back(row);
    lines_.push_back(doubt.place.text() + ": " + doubt.why + ". " + name_of(row) +
                     ", which no section has now, stays exported as before");
  }

  template <class Row>
  void keep_consumers(Row& row, const std::vector<Row>& before) {
    const Row* was = find(before, row);
    if (was == nullptr) return;
    const auto lost = [&](const conf::Share& share) {
      return is_consumer(share.name) && !has_consumer(row.distribution, share.name);
    };
    const auto gained = [&](const conf::Share& share) {
      return !is_consumer(share.name) && !has_consumer(was->distribution, share.name);
    };
    const auto unknown = std::find_if(row.distribution.begin(), row.distribution.end(), gained);
    if (unknown == row.distribution.end() ||
        std::none_of(was->distribution.begin(), was->distribution.end(), lost))
      return;
    lines_.push_back(conf::place_of(row.places, "DISTRIBUTION", row.place).text() +
                     ": DISTRIBUTION: found cluster " + printable(unknown->name) +
                     ", which is no peer of this cluster, expected a peer. " + name_of(row) +
                     " stays exported as before");
    row = *was;
  }

  std::optional<Doubt> doubt_of(const HostExport& row, const Names& named_before) const {
    for (const std::string& host : row.hosts)
      if (!files_.names.official(host) && !named_before.contains(host))
        return Doubt{conf::place_of(row.places, "PER_HOST", row.place),
                     "PER_HOST: found " + printable(host) + ", expected a host of the cluster"};
    if (!row.hosts.empty() || find(before_.host_exports, row)) return std::nullopt;
    const auto parsed = resreq::parse(row.select);
    if (!parsed.error && resreq::bind(parsed.value.select, {.indices = &files_.indices}).select)
      return std::nullopt;
    return Doubt{conf::place_of(row.places, "RES_SELECT", row.place),
                 "RES_SELECT: found " + printable(row.select) + ", expected a requirement on hosts"};
  }

  // The rows of before that the sections now have neither as they were nor changed.
  std::vector<HostExport> missing(const std::vector<HostExport>& now) const {
    Names named_now;
    std::ptrdiff_t new_selections = 0;
    for (const HostExport& row : now) {
      if (row.hosts.empty()) new_selections += find(before_.host_exports, row) ? 0 : 1;
      named_now.merge(hosts_of(row));
    }
    std::vector<HostExport> missing;
    for (const HostExport& row : before_.host_exports) {
      if (find(now, row)) continue;
      const Names hosts = hosts_of(row);
      const auto named = [&](const std::string& host) { return named_now.contains(host); };
      if (row.hosts.empty() ? new_selections-- > 0 : std::any_of(hosts.begin(), hosts.end(), named)) continue;
      missing.push_back(row);
    }
    return missing;
  }

  void keep_hosts(std::optional<Doubt> doubt) {
    Names named_before;
    for (const HostExport& row : before_.host_exports)
      named_before.insert(row.hosts.begin(), row.hosts.end());
    std::vector<HostExport> certain;
    for (const HostExport& row : read_.host_exports)
      if (auto of_row = doubt_of(row, named_before))
        doubt = std::move(of_row);
      else
        certain.push_back(row);
    if (!doubt) return;
    const std::vector<HostExport> kept = missing(certain);
    if (kept.empty()) return;
    for (const HostExport& row : kept) stay(row, *doubt, certain);
    read_.host_exports = std::move(certain);
  }

  conf::LsbResources& read_;
  const conf::LsbResources& before_;
  const conf::ClusterFiles& files_;
  const conf::PeerSettings& peers_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> keep_exports(conf::LsbResources& read, const conf::LsbResources& before,
                                      const conf::Problems& problems, const conf::ClusterFiles& files,
                                      const conf::PeerSettings& peers) {
  return Keeper(read, before, files, peers).keep(error_of(problems));
}

}  // namespace rollcall::sched::lease
