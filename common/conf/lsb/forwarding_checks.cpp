#include "common/conf/lsb/forwarding_checks.hpp"

#include <algorithm>

#include "common/base/host_list.hpp"
#include "common/conf/peer_settings.hpp"
#include "common/conf/row_reader.hpp"

namespace rollcall::conf {
namespace {

constexpr const char* kSends = "SNDJOBS_TO";
constexpr const char* kReceives = "RCVJOBS_FROM";
constexpr const char* kHosts = "HOSTS";

class ForwardingCheck {
 public:
  ForwardingCheck(const LsbFiles& files, const ClusterFiles& cluster, Problems& problems)
      : files_(files), cluster_(cluster), problems_(problems) {}

  void check() const {
    for (const QueueRow& queue : files_.queues) {
      for (const RemoteQueue& remote : queue.send_jobs_to)
        check_cluster(place(queue, kSends), kSends, remote.queue + "@" + remote.cluster, remote.cluster);
      for (const std::string& name : queue.receive_jobs_from)
        check_cluster(place(queue, kReceives), kReceives, name, name);
      check_hosts(queue);
      check_backlogs(queue);
      for (const char* keyword : {"MAX_RSCHED_TIME", "FWD_USERS"}) needs(queue, keyword, kSends);
    }
    for (const UserMapping& mapping : files_.users.mappings) check_mapping(mapping);
    for (const BatchHost& row : files_.hosts.hosts) check_row(row);
    for (const ResourceLimit& limit : files_.resources.limits)
      for (const char* keyword : {kHosts, "PER_HOST"}) check_limit(limit, keyword);
  }

 private:
  static Place place(const QueueRow& queue, const char* keyword) {
    return place_of(queue.cells, keyword, queue.place);
  }

  void warn(const Place& place, const std::string& keyword, const std::string& found,
            const std::string& expected) const {
    problems_.warning(place, keyword + ": found " + printable(found) + ", expected " + expected);
  }

  // A list that is invalid has an error already; it is "none" here without being written so.
  void check_hosts(const QueueRow& queue) const {
    const Cell* cell = queue.cells.given(kHosts);
    if (!cell) return;
    if (queue.hosts.size() == 1 && queue.hosts[0].name == "none" && !queue.cells.given(kSends) &&
        queue.send_jobs_to.empty())
      warn(cell->place, kHosts, "none", "SNDJOBS_TO beside it: the queue starts no jobs");
    check_items(queue.hosts, cell->place, kHosts);
  }

  void check_items(const std::vector<HostItem>& items, const Place& place, const char* keyword) const {
    for (const HostItem& item : items)
      if (!item.cluster.empty() && item.cluster != cluster_.settings.cluster)
        check_other_cluster(place, keyword, name_of(item), item.cluster);
  }

  void check_limit(const ResourceLimit& limit, const char* keyword) const {
    const auto words = limit.consumers.find(keyword);
    if (words == limit.consumers.end()) return;
    if (const auto items = parse_host_items(words->second))
      check_items(*items, limit.place, keyword);
    else
      problems_.warning(limit.place,
                        std::string(keyword) + ": " + items.error().text + ": the limit is for no host");
  }

  void check_cluster(const Place& place, const std::string& keyword, const std::string& found,
                     const std::string& name) const {
    if (name != "allclusters") check_other_cluster(place, keyword, found, name);
  }

  bool is_cluster(const std::string& name) const {
    const auto& clusters = cluster_.shared.clusters;
    return std::any_of(clusters.begin(), clusters.end(),
                       [&name](const ClusterRow& row) { return row.name == name; });
  }

  void check_other_cluster(const Place& place, const std::string& keyword, const std::string& found,
                           const std::string& name) const {
    if (!is_cluster(name)) return warn(place, keyword, found, "a cluster of lsf.shared");
    if (name == cluster_.settings.cluster)
      return warn(place, keyword, found, "another cluster than this one");
    if (left_out_of_remote_clusters(cluster_, name))
      warn(place, keyword, found, "a cluster of RemoteClusters in lsf.cluster, where that section exists");
  }

  void needs(const QueueRow& queue, const char* keyword, const char* other) const {
    const Cell* cell = queue.cells.given(keyword);
    if (cell && !queue.cells.given(other))
      problems_.warning(cell->place, std::string(keyword) + " has no effect: the queue has no " + other);
  }

  void check_backlogs(const QueueRow& queue) const {
    for (const auto& [keyword, most] :
         {std::pair("IMPT_JOBBKLG", queue.import_backlog), {"IMPT_SLOTBKLG", queue.import_slot_backlog}}) {
      needs(queue, keyword, kReceives);
      if (most == 0 && !queue.receive_jobs_from.empty())
        warn(place(queue, keyword), keyword, "0",
             "1 or more, or infinit: the queue takes no jobs of other clusters");
    }
  }

  // Rows of lsb.hosts count for borrowed hosts too: by name, and default for those that have no other row.
  void check_row(const BatchHost& row) const {
    if (const auto at = row.name.find('@'); at != std::string::npos) {
      const std::string host = row.name.substr(0, at);
      if (!host_name(host) || host == "all" || host == "allremote" || host == "others")
        return warn(row.place, "HOST_NAME", row.name, "HOST@CLUSTER for a borrowed host");
      return check_other_cluster(row.place, "HOST_NAME", row.name, row.name.substr(at + 1));
    }
    const auto borrows = [this](const QueueRow& queue) {
      return std::any_of(queue.hosts.begin(), queue.hosts.end(), [this](const HostItem& item) {
        return names_borrowed(item, cluster_.settings.cluster) &&
               (item.cluster.empty() || is_cluster(item.cluster));
      });
    };
    const auto queue = std::find_if(files_.queues.begin(), files_.queues.end(), borrows);
    if (row.name == "default" && row.slots && queue != files_.queues.end())
      problems_.warning(row.place,
                        "MXJ: found " + std::to_string(*row.slots) + " for default while queue " +
                            printable(queue->name) +
                            " uses borrowed hosts: no more slots of each are used, whatever is lent; "
                            "a row HOST@CLUSTER counts before default");
  }

  void check_mapping(const UserMapping& mapping) const {
    for (const std::string& word : mapping.remote)
      check_cluster(mapping.place, "REMOTE", word, word.substr(word.find('@') + 1));
    const auto& local = mapping.local;
    if (mapping.direction == UserMapping::Direction::import_jobs &&
        std::find(local.begin(), local.end(), "root") != local.end())
      warn(mapping.place, "LOCAL", "root", "another user: jobs of other clusters do not run as root");
  }

  const LsbFiles& files_;
  const ClusterFiles& cluster_;
  Problems& problems_;
};

}  // namespace

void check_forwarding(const LsbFiles& files, const ClusterFiles& cluster, Problems& problems) {
  ForwardingCheck(files, cluster, problems).check();
}

}  // namespace rollcall::conf
