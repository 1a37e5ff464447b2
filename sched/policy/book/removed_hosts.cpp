#include "sched/policy/book/removed_hosts.hpp"

#include <algorithm>

namespace rollcall::sched::book {

bool RemovedHosts::is_there(const std::string& host, JobKey key) const {
  const Job* job = jobs_.find(key);
  if (job == nullptr) return false;
  const auto& hosts = job->record.hosts();
  const auto is_host = [&host](const auto& on) { return on.name() == host; };
  if (placed(job->status())) return std::any_of(hosts.begin(), hosts.end(), is_host);
  return job->record.post_status() == wire::POST_RUNNING && !hosts.empty() && is_host(hosts.Get(0));
}

bool RemovedHosts::is_empty(const std::string& name, Host& host) const {
  std::erase_if(host.jobs, [&](JobKey key) { return !is_there(name, key); });
  return host.jobs.empty() && !host.strangers;
}

bool RemovedHosts::has_attempts(const std::string& name, const std::optional<std::vector<JobKey>>& held) {
  Host& host = hosts_[name];
  const auto& placed_there = jobs_.on_host(name);
  host.jobs.insert(placed_there.begin(), placed_there.end());
  if (held) {
    host.strangers = false;
    for (const JobKey key : *held) {
      if (is_there(name, key))
        host.jobs.insert(key);
      else if (jobs_.find(key) != nullptr)
        host.strangers = true;
    }
  }
  if (!is_empty(name, host)) return true;
  hosts_.erase(name);
  return false;
}

std::vector<std::string> RemovedHosts::take_empty() {
  std::vector<std::string> empty;
  for (auto& [name, host] : hosts_)
    if (is_empty(name, host)) empty.push_back(name);
  for (const std::string& name : empty) hosts_.erase(name);
  return empty;
}

}  // namespace rollcall::sched::book
