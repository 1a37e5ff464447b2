// gpus: what -gpu asks for, which resource counts a host's GPUs, and which devices a job gets. Functions.
//
// mbatchd does not look at GPUs: an elim counts them (elim.hwloc: hw_gpus, or a site's own). The devices are the numbers from 0 to
// that count less one, as in CUDA_VISIBLE_DEVICES. A job that reserves the counting resource on a host, by -gpu or by rusage, gets
// devices of it, which no other job gets until it is over. Rules: bsub(1), -gpu; docs/decisions/0036.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/conf/cluster_files.hpp"
#include "common/resreq/resreq.hpp"
#include "common/wire/job.pb.h"
#include "sched/policy/values/placement.hpp"

namespace rollcall::sched {

struct GpuRequest {
  int count = 0;          // 0: none
  bool per_task = false;  // false: `count` for each host
};
// `gpu`: -gpu in normal form (submit_values.hpp): "num=2/task:mode=shared:j_exclusive=no".
GpuRequest gpu_request(std::string_view gpu);

// The first of ngpus_physical, ngpus, hw_gpus that lsf.shared defines as a number and that some host has (ResourceMap or
// RESOURCES of lsf.cluster); "": no host counts GPUs.
std::string gpu_resource(const conf::ClusterFiles& files);
inline constexpr std::string_view kNoGpus =
    "-gpu: found no host that counts GPUs, expected ngpus_physical, ngpus or hw_gpus in lsf.shared and "
    "ResourceMap of "
    "lsf.cluster";

// The request as a requirement for the scheduler: rusage[ngpus=2].
resreq::ResReq gpu_requirement(const GpuRequest& request, const std::string& resource);

// The GPUs of a job's attempt, by host.
using JobDevices = std::vector<wire::DevicesOn>;
// Also reads records of older stores, which have it as text.
JobDevices devices_of(const wire::JobRecord& record);
// CUDA_VISIBLE_DEVICES on the host: "0,1"; "": none.
std::string gpus_on(const wire::JobRecord& record, std::string_view host);
// For display: "hostA 0,1;hostB 0".
std::string gpus_text(const JobDevices& devices);

// Number of devices for a reserved amount of the counting resource; 0 if the amount is not whole.
int whole_devices(double amount);
// The `count` lowest numbers that are not in `taken`; adds them to it.
std::vector<std::uint32_t> lowest_free(int count, std::set<std::uint32_t>& taken);

// Gives the placement the lowest free devices for each reservation of `resource`. `taken(host)` returns a std::set of the devices
// that jobs hold on the host.
template <class Host, class Resource, class Taken>
void choose_devices(BasicPlacement<Host, Resource>& placement, const Resource& resource, const Taken& taken) {
  for (const auto& kept : placement.reservations) {
    const int count = kept.resource == resource ? whole_devices(kept.amount) : 0;
    if (count == 0) continue;
    const auto on = std::find_if(placement.devices.begin(), placement.devices.end(),
                                 [&kept](const auto& known) { return known.host == kept.host; });
    using Devices = typename BasicPlacement<Host, Resource>::Devices;
    auto& numbers = on == placement.devices.end()
                        ? placement.devices.emplace_back(Devices{kept.host, {}}).numbers
                        : on->numbers;
    std::set<std::uint32_t> gone = taken(kept.host);
    gone.insert(numbers.begin(), numbers.end());
    for (const std::uint32_t device : lowest_free(count, gone)) numbers.push_back(device);
  }
}

}  // namespace rollcall::sched
