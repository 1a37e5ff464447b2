#include "common/conf/lsb/forwarding_checks.hpp"

#include <algorithm>

#include "common/base/host_list.hpp"
#include "common/conf/peer_settings.hpp"

namespace rollcall::conf {
namespace {

constexpr const char* kSends = "SNDJOBS_TO";
constexpr const char* kReceives = "RCVJOBS_FROM";

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
      check_backlogs(queue);
      for (const char* keyword : {"MAX_RSCHED_TIME", "FWD_USERS"}) needs(queue, keyword, kSends);
      if (queue.hosts.size() == 1 && queue.hosts[0].name == "none" && !queue.cells.given(kSends))
        problems_.warning(place(queue, "HOSTS"),
                          "HOSTS: found none, expected SNDJOBS_TO beside it: the queue starts no jobs");
    }
    for (const UserMapping& mapping : files_.users.mappings) check_mapping(mapping);
  }

 private:
  static Place place(const QueueRow& queue, const char* keyword) {
    const Cell* cell = queue.cells.given(keyword);
    return cell ? cell->place : queue.place;
  }

  void warn(const Place& place, const std::string& keyword, const std::string& found,
            const std::string& expected) const {
    problems_.warning(place, keyword + ": found " + printable(found) + ", expected " + expected);
  }

  void check_cluster(const Place& place, const std::string& keyword, const std::string& found,
                     const std::string& name) const {
    if (name == "allclusters") return;
    const auto& clusters = cluster_.shared.clusters;
    if (std::none_of(clusters.begin(), clusters.end(),
                     [&name](const ClusterRow& row) { return row.name == name; }))
      return warn(place, keyword, found, "a cluster of lsf.shared");
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
