// LsbResources: the typed view of lsb.resources: leases to other clusters, resource limits, reservation rules. Values; dividing a
// lease and applying a limit is the scheduler's work.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time_windows.hpp"
#include "common/conf/limit_unit.hpp"
#include "common/conf/lsb/values.hpp"
#include "common/conf/section_file.hpp"

namespace rollcall::conf {

inline constexpr int kMostInstances = 100'000;  // of one SharedResourceExport
inline constexpr int kMostShares = 1'000'000;   // of one cluster in a DISTRIBUTION

// Where PER_HOST, RES_SELECT, NAME and DISTRIBUTION of a section stand, as far as it has them.
using Places = std::map<std::string, Place, std::less<>>;
Place place_of(const Places& places, std::string_view keyword, const Place& otherwise);

// HostExport: hosts by name (PER_HOST) or by what they have (RES_SELECT).
struct HostExport {
  std::vector<std::string> hosts;         // PER_HOST
  std::string select;                     // RES_SELECT; "type==any" where neither is given
  std::optional<int> host_count;          // NHOSTS
  std::vector<Share> distribution;        // cluster, shares
  std::optional<int> slots;               // per host
  std::optional<int> memory_mb, swap_mb;  // per host; none: both clusters compete
  bool shared = false;                    // TYPE=shared: a lease that can be taken back
  Place place;
  Places places;
};

struct SharedResourceExport {
  std::string name;
  int instances = 0;
  std::vector<Share> distribution;
  Place place;
  Places places;
};

// "20", "10%", or with a time: "[20 09:00-17:00] [10 17:00-09:00]".
struct LimitAmount {
  double amount = 0;
  bool percent = false;
  TimeWindows windows;  // empty: always
};

struct ResourceLimit {
  std::string name;
  // Consumers: USERS PER_USER QUEUES PER_QUEUE HOSTS PER_HOST PROJECTS PER_PROJECT and others of this form, as words.
  std::map<std::string, std::vector<std::string>> consumers;
  // SLOTS SLOTS_PER_PROCESSOR MEM SWP TMP JOBS. MEM, SWP and TMP in MB.
  std::map<std::string, std::vector<LimitAmount>> amounts;
  std::vector<Share> resources;  // RESOURCE = [name, amount] ...
  Place place;
};

// The users who may make advance reservations, and on which hosts and when.
struct ReservationPolicy {
  std::string name;
  std::vector<std::string> users, hosts;  // empty: all
  TimeWindows windows;
  Place place;
};

// Whether an rusage reserves a resource for the whole job, for each host or for each slot.
struct ReservationMethod {
  std::string resource;
  std::string method;  // PER_JOB, PER_HOST, PER_SLOT, PER_TASK; "" for the default
  bool reserve = true;
  Place place;
};

struct LsbResources {
  std::vector<HostExport> host_exports;
  std::vector<SharedResourceExport> resource_exports;
  std::vector<ResourceLimit> limits;
  std::vector<ReservationPolicy> reservations;
  std::vector<ReservationMethod> reservation_methods;
};

// `unit`: of MEM and SWP, and TMP; they are kept in MB.
LsbResources read_lsb_resources(const SectionFile& file, const LimitUnit& unit, Problems& problems);

}  // namespace rollcall::conf
