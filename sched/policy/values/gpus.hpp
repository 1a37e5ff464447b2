// gpus: what -gpu asks for, which resource counts a host's GPUs, and which of them a job gets. Functions.
//
// Nobody here has seen a GPU: an elim counts them (elim.hwloc: hw_gpus, or a site's own), and a number from 0 up to that
// count is a device, as CUDA_VISIBLE_DEVICES names one. Whatever reserves the counting resource on a host gets devices of
// it, by -gpu or by rusage; a device is one job's until that job is over. Rules: bsub(1), -gpu; docs/decisions/0036.
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
  bool per_task = false;  // else for each host
};
// Of -gpu in normal form (submit_values.hpp): "num=2/task:mode=shared:j_exclusive=no".
GpuRequest gpu_request(std::string_view gpu);

// The first of ngpus_physical, ngpus, hw_gpus that lsf.shared defines as a number and that some host has (ResourceMap or
// RESOURCES of lsf.cluster); "": no host counts GPUs.
std::string gpu_resource(const conf::ClusterFiles& files);
inline constexpr std::string_view kNoGpus =
    "-gpu: found no host that counts GPUs, expected ngpus_physical, ngpus or hw_gpus in lsf.shared and "
    "ResourceMap of "
    "lsf.cluster";

// What the request means to the scheduler: rusage[ngpus=2].
resreq::ResReq gpu_requirement(const GpuRequest& request, const std::string& resource);

// The GPUs of a job's attempt, by host.
using JobDevices = std::vector<wire::DevicesOn>;
// Of records of older stores too, which have a text for it.
JobDevices devices_of(const wire::JobRecord& record);
// CUDA_VISIBLE_DEVICES on the host: "0,1"; "": none.
std::string gpus_on(const wire::JobRecord& record, std::string_view host);
// As people are shown it: "hostA 0,1;hostB 0".
std::string gpus_text(const JobDevices& devices);

// How many devices a reserved amount of the counting resource is; 0 where it is no whole number of them.
int whole_devices(double amount);
// The `count` lowest numbers that are not taken. They are taken then.
std::vector<std::uint32_t> lowest_free(int count, std::set<std::uint32_t>& taken);

// Gives the placement devices for every reservation of `resource`, the lowest that no job on the host holds. `taken`: returns
// the std::set of those of a host, by reference or value.
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
