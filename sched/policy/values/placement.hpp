// Placement: what a job has been given: slots, devices and reservations, and until when. One value, which the cycle chooses and
// the Book, the job's record, its events and the snapshot share. It is neither what was asked (wire::Submission, Demand) nor what
// the attempt does (job_life.hpp).
//
// Hosts and resources have names where a placement outlives the configuration (Placement: events, records) and numbers in the
// cycle (cycle::NumberedPlacement, which by_name() and by_number() of cycle/schedule.hpp turn into it and back).
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
  // A part of a resource that the job keeps from others. wire::Reserved.
  struct Reservation {
    Resource resource{};
    Host host{};         // of a shared resource: a host of the instance
    double amount = 0;   // at the start
    WallTime until;      // never: as long as the job runs
    bool decay = false;  // falls to nothing until then, in a straight line
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
  std::vector<Devices> devices;  // one for a host at the most
  bool exclusive = false;        // no other job on these hosts
  double cpu_factor = 1;         // of the first host, for JOB_START, lsb.acct and -N; 1 where it is unknown
  WallTime expected_end;         // never: nothing ends it
  friend bool operator==(const BasicPlacement&, const BasicPlacement&) = default;
};

using Placement = BasicPlacement<HostId, std::string>;

// Of the present attempt; `expected_end` is never.
Placement placement_of(const wire::JobRecord& record);
// The fields of the record that the table above names.
void put(const Placement& placement, wire::JobRecord& record);

}  // namespace rollcall::sched
