// Placement: what a job has been given: slots, devices and reservations, and until when. The cycle chooses it; the Book, the job's
// record, its events and the snapshot share it. What was asked is in wire::Submission and Demand; how the attempt proceeds is in
// job_life.hpp.
//
// Events and records outlive the configuration, so their placements have names of hosts and resources (Placement). Those of the
// cycle have numbers (cycle::NumberedPlacement); by_name() and by_number() of cycle/schedule.hpp convert.
//
//   field         | chosen by             | in the job's record | not in the record
//   --------------+-----------------------+---------------------+--------------------------------------------
//   hosts         | cycle, or brun        | hosts               |
//   reservations  | cycle; brun: GPUs     | reserved            |
//   devices       | cycle, or brun        | gpu_devices         |
//   exclusive     | cycle, or brun        | exclusive_hosts     |
//   cpu_factor    | cycle, or brun        | cpu_factor          |
//   expected_end  | cycle                 |                     | made again from the start and the limits
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/wall_time.hpp"
#include "common/wire/job.pb.h"
#include "sched/policy/values/host_id.hpp"

namespace rollcall::sched {

template <class Host, class Resource>
struct BasicPlacement {
  struct Slots {
    Host host{};
    int slots = 0;
    friend bool operator==(const Slots&, const Slots&) = default;
  };
  // An amount of a resource that the job holds (wire::Reserved).
  struct Reservation {
    Resource resource{};
    Host host{};         // of a shared resource: a host of the instance
    double amount = 0;   // at the start
    WallTime until;      // never: as long as the job runs
    bool decay = false;  // falls linearly to 0 until then
    friend bool operator==(const Reservation&, const Reservation&) = default;
  };
  // GPUs, as CUDA_VISIBLE_DEVICES numbers them.
  struct Devices {
    Host host{};
    std::vector<std::uint32_t> numbers;
    friend bool operator==(const Devices&, const Devices&) = default;
  };

  std::vector<Slots> hosts;  // first execution host first
  std::vector<Reservation> reservations;
  std::vector<Devices> devices;  // at most one entry for a host
  bool exclusive = false;        // no other job on these hosts
  double cpu_factor = 1;         // of the first host, for JOB_START, lsb.acct and -N; 1: unknown
  WallTime expected_end;         // never: no limit ends it
  friend bool operator==(const BasicPlacement&, const BasicPlacement&) = default;
};

using Placement = BasicPlacement<HostId, std::string>;

// The placement of the present attempt; `expected_end` is never.
Placement placement_of(const wire::JobRecord& record);
// Sets the fields of the record in the table above.
void put(const Placement& placement, wire::JobRecord& record);

}  // namespace rollcall::sched
