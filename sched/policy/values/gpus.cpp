// JobRecord.gpus, the text in older stores:
// gpus   = host { ";" host }      host = NAME " " device { "," device }      device: a whole number from 0
#include "sched/policy/values/gpus.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "common/base/numbers.hpp"

namespace rollcall::sched {
namespace {

constexpr std::array<const char*, 3> kCounting{"ngpus_physical", "ngpus", "hw_gpus"};
constexpr int kMostDevices = 1024;  // of one host

bool some_host_has(const conf::ClusterFiles& files, const std::string& resource) {
  const auto& map = files.cluster.resource_map;
  const auto& hosts = files.cluster.hosts;
  return std::any_of(map.begin(), map.end(),
                     [&](const auto& row) { return row.resource == resource && !row.instances.empty(); }) ||
         std::any_of(hosts.begin(), hosts.end(),
                     [&](const auto& host) { return host.values.count(resource) != 0; });
}

std::string devices_text(const wire::DevicesOn& on) {
  std::string text;
  for (const std::uint32_t device : on.devices()) text += (text.empty() ? "" : ",") + std::to_string(device);
  return text;
}

// Removes the part before `mark`, and the mark, from `text`; returns the part.
std::string_view cut(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

JobDevices parse_old(std::string_view gpus) {
  JobDevices devices;
  while (!gpus.empty()) {
    std::string_view numbers = cut(gpus, ';');
    wire::DevicesOn on;
    on.set_host(std::string(cut(numbers, ' ')));
    while (!numbers.empty())
      if (const auto device = parse_whole(cut(numbers, ','), 0, kMostDevices))
        on.add_devices(static_cast<std::uint32_t>(*device));
    if (on.devices_size() > 0) devices.push_back(std::move(on));
  }
  return devices;
}

}  // namespace

GpuRequest gpu_request(std::string_view gpu) {
  GpuRequest request;
  const std::size_t at = gpu.find("num=");
  if (at == gpu.npos) return request;
  const std::string_view value = gpu.substr(at + 4, gpu.find(':', at) - at - 4);
  const std::size_t slash = value.find('/');
  request.count = parse_whole(value.substr(0, slash), 1, kMostDevices).value_or(0);
  request.per_task = slash != value.npos && value.substr(slash) == "/task";
  return request;
}

std::string gpu_resource(const conf::ClusterFiles& files) {
  for (const char* const name : kCounting) {
    const auto id = files.indices.find(name);
    if (id && files.indices.at(*id).type == ResourceType::numeric && some_host_has(files, name)) return name;
  }
  return {};
}

resreq::ResReq gpu_requirement(const GpuRequest& request, const std::string& resource) {
  resreq::Number count;
  count.value = request.count;
  count.written = std::to_string(request.count);
  resreq::UsageString usages;
  usages.usages.push_back({resource, count, {}});
  resreq::ResReq requirement;
  requirement.rusage = resreq::Rusage{{resreq::UsageAlternative{{usages}}}};
  return requirement;
}

JobDevices devices_of(const wire::JobRecord& record) {
  if (record.gpu_devices().empty()) return parse_old(record.gpus());
  return {record.gpu_devices().begin(), record.gpu_devices().end()};
}

std::string gpus_on(const wire::JobRecord& record, std::string_view host) {
  for (const auto& on : devices_of(record))
    if (on.host() == host) return devices_text(on);
  return {};
}

std::string gpus_text(const JobDevices& devices) {
  std::string text;
  for (const auto& on : devices) text += (text.empty() ? "" : ";") + on.host() + " " + devices_text(on);
  return text;
}

int whole_devices(double amount) {
  const bool whole = amount >= 1 && amount <= kMostDevices && std::floor(amount) == amount;
  return whole ? static_cast<int>(amount) : 0;
}

std::vector<std::uint32_t> lowest_free(int count, std::set<std::uint32_t>& taken) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t device = 0; count > 0; ++device)
    if (taken.insert(device).second) chosen.push_back(device), --count;
  return chosen;
}

}  // namespace rollcall::sched
