// gpus   = host { ";" host }      host = NAME " " device { "," device }      device: a whole number from 0
#include "sched/policy/gpus.hpp"

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

void add_devices(std::string_view text, std::set<int>& devices) {
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (const auto device = parse_whole(text.substr(0, comma), 0, kMostDevices)) devices.insert(*device);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
}

std::string lowest_free(int count, const std::set<int>& taken) {
  std::string chosen;
  for (int device = 0; count > 0; ++device) {
    if (taken.count(device) != 0) continue;
    chosen += (chosen.empty() ? "" : ",") + std::to_string(device);
    --count;
  }
  return chosen;
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

std::string gpus_on(std::string_view gpus, std::string_view host) {
  while (!gpus.empty()) {
    const std::string_view part = gpus.substr(0, gpus.find(';'));
    if (part.size() > host.size() && part.starts_with(host) && part[host.size()] == ' ')
      return std::string(part.substr(host.size() + 1));
    gpus.remove_prefix(std::min(part.size() + 1, gpus.size()));
  }
  return {};
}

std::string choose_gpus(const std::vector<wire::Reserved>& reserved, const std::string& resource,
                        const GpusHeld& held) {
  std::string all;
  if (resource.empty()) return all;
  for (const auto& part : reserved) {
    const bool whole =
        part.amount() >= 1 && part.amount() <= kMostDevices && std::floor(part.amount()) == part.amount();
    if (part.resource() != resource || part.host().empty() || !whole) continue;
    std::set<int> taken;
    for (const auto& gpus : held(part.host())) add_devices(gpus_on(gpus, part.host()), taken);
    all += (all.empty() ? "" : ";") + part.host() + " " + lowest_free(static_cast<int>(part.amount()), taken);
  }
  return all;
}

}  // namespace rollcall::sched
