// bhosts: condensed groups, and GPUs.
#include <algorithm>
#include <charconv>
#include <map>

#include "common/base/table_cells.hpp"
#include "sched/policy/show/show_batch_hosts.hpp"

namespace rollcall::sched::show {
namespace {

using Host = wire::BatchReply::BatchHost;

std::string word_of(const Host& host, const char* name) {
  const auto at = host.words().find(name);
  return at == host.words().end() ? "" : at->second;
}

void add_counts(const wire::BatchReply::Counts& more, wire::BatchReply::Counts& to) {
  to.set_jobs(to.jobs() + more.jobs());
  to.set_running(to.running() + more.running());
  to.set_ssusp(to.ssusp() + more.ssusp());
  to.set_ususp(to.ususp() + more.ususp());
  to.set_reserved(to.reserved() + more.reserved());
}

// A group shows the best state of its hosts. From best to worst: ok, closed, unreach, unavail.
int badness(const Host& host) {
  if (host.unavailable()) return 3;
  if (host.unreachable()) return 2;
  return host_status(host, StatusForm::short_word) == "ok" ? 0 : 1;
}

Host first_of_group(const Host& host, const std::string& group) {
  Host row = host;
  row.set_name(group);
  row.clear_words();
  row.clear_gpus_held();
  row.clear_comment();
  row.clear_user_limit();
  return row;
}

void join(const Host& host, Host& row) {
  if (badness(host) < badness(row)) {
    Host better = first_of_group(host, row.name());
    *better.mutable_counts() = row.counts();
    if (row.has_max()) better.set_max(row.max());
    if (!row.has_max()) better.clear_max();
    if (host.has_max()) better.set_max(better.max() + host.max());
    add_counts(host.counts(), *better.mutable_counts());
    row = std::move(better);
    return;
  }
  if (host.has_max()) row.set_max(row.max() + host.max());
  add_counts(host.counts(), *row.mutable_counts());
}

constexpr std::uint32_t kMostDevices = 4096;  // of a host: larger numbers in mbatchd's answer are ignored

// The jobs on one device of a host.
struct DeviceJobs {
  unsigned run = 0, susp = 0;
};

std::map<std::uint32_t, DeviceJobs> device_jobs(const Host& host) {
  std::map<std::uint32_t, DeviceJobs> devices;
  for (const auto& held : host.gpus_held())
    for (const std::uint32_t device : held.devices())
      ++(held.suspended() ? devices[device].susp : devices[device].run);
  return devices;
}

std::string gpu_row(const std::string& host, std::uint32_t device, const DeviceJobs& jobs) {
  const auto number = [](unsigned count) { return right(std::to_string(count), 7); };
  // Model and memory of a device are unknown: they need its driver.
  return left(host, 20) + right(std::to_string(device), 7) + right("-", 21) + right("-", 10) +
         right("-", 10) + number(jobs.run + jobs.susp) + number(jobs.run) + number(jobs.susp) + number(0) +
         "\n";
}

}  // namespace

BatchHosts condensed(const BatchHosts& hosts) {
  BatchHosts rows;
  *rows.mutable_index_names() = hosts.index_names();
  std::map<std::string, int> places;  // of groups
  for (const auto& host : hosts.hosts()) {
    const std::string group = word_of(host, "condensed");
    const auto [place, fresh] =
        group.empty() ? std::pair(places.end(), true) : places.emplace(group, rows.hosts_size());
    if (fresh)
      *rows.add_hosts() = group.empty() ? host : first_of_group(host, group);
    else
      join(host, *rows.mutable_hosts(place->second));
  }
  return rows;
}

std::string batch_hosts_gpus(const BatchHosts& hosts, bool wide) {
  std::string text;
  for (const auto& host : hosts.hosts()) {
    const std::string count = word_of(host, "ngpus");
    std::uint32_t devices = 0;
    std::from_chars(count.data(), count.data() + count.size(), devices);
    devices = std::min(devices, kMostDevices);
    const auto jobs = device_jobs(host);
    std::string name = wide ? host.name() : host.name().substr(0, 19);
    for (std::uint32_t device = 0; device < devices; ++device) {
      const auto held = jobs.find(device);
      text += gpu_row(name, device, held == jobs.end() ? DeviceJobs{} : held->second);
      name.clear();
    }
  }
  if (text.empty()) return "";
  return "HOST_NAME            GPU_ID                MODEL     MUSED      MRSV  NJOBS    RUN   SUSP    RSV "
         "\n" +
         text;
}

}  // namespace rollcall::sched::show
