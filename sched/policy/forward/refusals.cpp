#include "sched/policy/forward/refusals.hpp"

namespace rollcall::sched::forward {

void Refusals::begin_session() { *this = {}; }

void Refusals::refused(const conf::RemoteQueue& queue, const std::string& user, Scope scope,
                       const std::string& why) {
  ++counts_[queue.cluster];
  switch (scope) {
    case Scope::job:
      break;
    case Scope::user:
      users_[user][name_of(queue)] = why;
      break;
    case Scope::queue:
      queues_[name_of(queue)] = why;
      break;
    case Scope::cluster:
      clusters_[queue.cluster] = why;
      break;
  }
}

void Refusals::told(const conf::RemoteQueue& queue) { queues_.erase(name_of(queue)); }

bool Refusals::too_many(const std::string& cluster) const {
  const auto count = counts_.find(cluster);
  return count != counts_.end() && count->second >= kMost;
}

std::string Refusals::closed(const conf::RemoteQueue& queue) const {
  if (too_many(queue.cluster))
    return "its cluster has refused " + std::to_string(kMost) + " offers in this MBD_SLEEP_TIME";
  if (const auto cluster = clusters_.find(queue.cluster); cluster != clusters_.end())
    return "its cluster has refused an offer in this MBD_SLEEP_TIME: " + cluster->second;
  if (const auto found = queues_.find(name_of(queue)); found != queues_.end())
    return "it has refused an offer in this MBD_SLEEP_TIME: " + found->second;
  return "";
}

std::vector<std::pair<conf::RemoteQueue, std::string>> Refusals::to_user(const std::string& user) const {
  std::vector<std::pair<conf::RemoteQueue, std::string>> all;
  const auto found = users_.find(user);
  if (found == users_.end()) return all;
  for (const auto& [name, why] : found->second)
    all.push_back({{name.second, name.first},
                   "it has refused jobs of user " + user + " in this MBD_SLEEP_TIME: " + why});
  return all;
}

}  // namespace rollcall::sched::forward
