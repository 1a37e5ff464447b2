#include "common/conf/without_effect.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

constexpr std::string_view kKeywordForwarding = "jobs are forwarded without it in this release";
constexpr std::string_view kKeywordNoForwarding =
    "loads and hosts of other clusters are not shared in this release";
constexpr std::string_view kKeywordNoFairshare =
    "fairshare is not supported in this release; jobs go by priority and time of submission";
constexpr std::string_view kKeywordNoAffinity = "binding jobs to processors is not supported in this release";
constexpr std::string_view kKeywordNoCheckpoint = "jobs are not checkpointed";
constexpr std::string_view kKeywordNoGroupAdmin =
    "administrators are those of the cluster and of queues in this release";
constexpr std::string_view kKeywordLater = "it is not in this release";

const std::vector<KeywordWithoutEffect> kKeywordTable{
    {"lsb.queues", "Queue", "FAIRSHARE", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "FAIRSHARE_QUEUES", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "FAIRSHARE_ADJUSTMENT_FACTOR", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "CPU_TIME_FACTOR", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "RUN_TIME_FACTOR", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "RUN_JOB_FACTOR", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "RUN_TIME_DECAY", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "HIST_HOURS", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "GPU_RUN_TIME_FACTOR", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "DISPATCH_ORDER", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "USE_PRIORITY_IN_POOL", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "SLOT_POOL", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "SLOT_SHARE", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "MAX_SLOTS_IN_POOL", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "APS_PRIORITY", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "ENABLE_GPU_HIST_RUN_TIME", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "IMPT_TASKBKLG", kKeywordForwarding},
    {"lsb.queues", "Queue", "FWD_JOB_FACTOR", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "MC_FORWARD_DELAY", kKeywordForwarding},
    {"lsb.queues", "Queue", "IMPT_JOBLIMIT", kKeywordForwarding},
    {"lsb.queues", "Queue", "IMPT_TASKLIMIT", kKeywordForwarding},
    {"lsb.queues", "Queue", "MAX_PROTOCOL_INSTANCES", "there is no network scheduling"},
    {"lsb.queues", "Queue", "NETWORK_REQ", "there is no network scheduling"},
    {"lsb.queues", "Queue", "DATA_TRANSFER", "jobs name no data requirements"},
    {"lsb.queues", "Queue", "DOCKER_IMAGE_AFFINITY", "jobs run without containers"},
    {"lsb.queues", "Queue", "CPU_FREQUENCY", "processors keep their frequency"},
    {"lsb.queues", "Queue", "COMMITTED_RUN_TIME_FACTOR", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "ENABLE_HIST_RUN_TIME", kKeywordNoFairshare},
    {"lsb.queues", "Queue", "DISPATCH_BY_QUEUE", kKeywordLater},
    {"lsb.queues", "Queue", "HOSTLIMIT_PER_JOB", kKeywordLater},
    {"lsb.queues", "Queue", "PLAN", "no starts are planned"},
    {"lsb.queues", "Queue", "RELAX_JOB_DISPATCH_ORDER", kKeywordLater},
    {"lsb.queues", "Queue", "RESIZABLE_JOBS", "resizing jobs is not supported in this release"},
    {"lsb.queues", "Queue", "CHUNK_JOB_SIZE", "every job is started by itself"},
    {"lsb.queues", "Queue", "MAX_CHUNK_JOB_DURATION", "every job is started by itself"},
    {"lsb.queues", "Queue", "MIG", "jobs move to another host by brequeue and bswitch alone"},
    {"lsb.queues", "Queue", "SLOT_RESERVE", "slots are not kept for waiting parallel jobs"},
    {"lsb.queues", "Queue", "BACKFILL", "slots are not kept for waiting parallel jobs"},
    {"lsb.queues", "Queue", "INTERRUPTIBLE_BACKFILL", "slots are not kept for waiting parallel jobs"},
    {"lsb.queues", "Queue", "RESOURCE_RESERVE", "slots are not kept for waiting parallel jobs"},
    {"lsb.queues", "Queue", "RESRSV_LIMIT", "values of rusage in RES_REQ have no bounds"},
    {"lsb.queues", "Queue", "DEFAULT_HOST_SPEC", "time limits are wall clock time of any host"},
    {"lsb.queues", "Queue", "CHKPNT", kKeywordNoCheckpoint},
    {"lsb.queues", "Queue", "CSM_REQ", "IBM's CSM is not supported"},
    {"lsb.queues", "Queue", "AFFINITY", kKeywordNoAffinity},
    {"lsb.queues", "Queue", "GPU_REQ", kKeywordLater},
    {"lsb.queues", "Queue", "CONTAINER", kKeywordLater},
    {"lsb.queues", "Queue", "EXEC_DRIVER", kKeywordLater},
    {"lsb.queues", "Queue", "DEFAULT_EXTSCHED", kKeywordLater},
    {"lsb.queues", "Queue", "MANDATORY_EXTSCHED", kKeywordLater},
    {"lsb.queues", "Queue", "SUCCESS_EXIT_VALUES", kKeywordLater},
    {"lsb.queues", "Queue", "JOB_ACTION_WARNING_TIME", kKeywordLater},
    {"lsb.queues", "Queue", "JOB_WARNING_ACTION", kKeywordLater},
    {"lsb.queues", "Queue", "JOB_SIZE_LIST", kKeywordLater},
    {"lsb.queues", "Queue", "JOB_SLOT_LIMIT", kKeywordLater},
    {"lsb.queues", "Queue", "EXTENDABLE_RUNLIMIT", kKeywordLater},
    {"lsb.queues", "Queue", "ESTIMATED_RUNTIME", kKeywordLater},
    {"lsb.queues", "Queue", "ELIGIBLE_PEND_TIME_LIMIT", kKeywordLater},
    {"lsb.queues", "Queue", "PEND_TIME_LIMIT", kKeywordLater},
    {"lsb.queues", "Queue", "MEMLIMIT_TYPE", kKeywordLater},
    {"lsb.queues", "Queue", "NQS_QUEUES", kKeywordLater},
    {"lsb.queues", "Queue", "POST_EXEC_TIMEOUT", kKeywordLater},
    {"lsb.queues", "Queue", "PRE_POST_EXEC_USER", kKeywordLater},
    {"lsb.queues", "Queue", "QUEUE_GROUP", kKeywordLater},
    {"lsb.queues", "Queue", "RC_ACCOUNT", kKeywordLater},
    {"lsb.queues", "Queue", "RC_HOSTS", kKeywordLater},
    {"lsb.queues", "Queue", "RC_DEMAND_POLICY", kKeywordLater},
    {"lsb.queues", "Queue", "RELAXED_JOB_DISPATCH_ORDER", kKeywordLater},
    {"lsb.queues", "Queue", "SLA_GUARANTEES_IGNORE", kKeywordLater},
    {"lsb.queues", "Queue", "USE_PAM_CREDS", kKeywordLater},
    {"lsb.queues", "Queue", "HOST_PRE_EXEC", kKeywordLater},
    {"lsb.queues", "Queue", "HOST_POST_EXEC", kKeywordLater},
    {"lsb.queues", "Queue", "CONCURRENT_RUN_LIMIT", kKeywordLater},
    {"lsb.queues", "Queue", "LOCAL_MAX_PREEXEC_RETRY_ACTION", kKeywordLater},
    {"lsb.queues", "Queue", "IGNORE_DEADLINE", kKeywordLater},
    {"lsb.queues", "Queue", "CORE_DUMP", kKeywordLater},
    {"lsb.hosts", "Host", "MIG", "jobs move to another host by brequeue and bswitch alone"},
    {"lsb.hosts", "Host", "CHKPNT", kKeywordNoCheckpoint},
    {"lsb.hosts", "Host", "AFFINITY", kKeywordNoAffinity},
    {"lsb.hosts", "HostPartition", "USER_SHARES", kKeywordNoFairshare},
    {"lsb.hosts", "HostGroup", "GROUP_SIZE", kKeywordLater},
    {"lsb.hosts", "HostGroup", "GROUP_ADMIN", kKeywordNoGroupAdmin},
    {"lsb.hosts", "ComputeUnit", "",
     "compute units are names for their hosts; jobs are not placed by them in this release"},
    {"lsb.users", "UserGroup", "GROUP_ADMIN", kKeywordNoGroupAdmin},
    {"lsb.users", "UserGroup", "USER_SHARES", kKeywordNoFairshare},
    {"lsb.users", "UserGroup", "PRIORITY", kKeywordNoFairshare},
    {"lsb.users", "UserGroup", "FS_POLICY", kKeywordNoFairshare},
    {"lsb.users", "User", "PRIORITY", kKeywordNoFairshare},
    {"lsb.users", "User", "MAX_PEND_SLOTS", kKeywordLater},
    {"lsb.resources", "ResourceReservation", "", "there are no advance reservations"},
    {"lsb.resources", "GuaranteedResourcePool", "", "there are no guaranteed pools"},
    {"lsb.resources", "ResourcePool", "", "there are no guaranteed pools"},
    {"lsb.resources", "PowerPolicy", "", "hosts are never switched off"},
    {"lsb.resources", "LoanPolicies", "", "there are no guaranteed pools"},
    {"lsb.resources", "Limit", "ELIGIBLE_PEND_JOBS", kKeywordLater},
    {"lsb.resources", "Limit", "INELIGIBLE", kKeywordLater},
    {"lsb.resources", "Limit", "LICENSE", kKeywordLater},
    {"lsb.resources", "Limit", "FWD_TASKS", kKeywordLater},
    {"lsb.resources", "Limit", "JOBS_PER_SCHED_CYCLE", kKeywordLater},
    {"lsf.cluster", "RemoteClusters", "EQUIV", kKeywordNoForwarding},
    {"lsf.cluster", "RemoteClusters", "CACHE_INTERVAL", kKeywordNoForwarding},
    {"lsf.cluster", "RemoteClusters", "AUTH",
     "each pair of clusters has its key: ROLLCALL_PEER_KEYS in lsf.conf(5)"},
    {"lsf.cluster", "Parameters", "PRODUCTS", "there are no licenses"},
    {"lsf.cluster", "Parameters", "FEATURES", "there are no licenses"},
    {"lsf.cluster", "Parameters", "FLOAT_CLIENTS", "there are no licenses"},
    {"lsf.cluster", "Parameters", "FLOAT_CLIENTS_ADDR_RANGE", "there are no licenses"},
    {"lsf.cluster", "Parameters", "LSF_HOST_ADDR_RANGE", "hosts are those of section Host"},
};

}  // namespace

const std::vector<KeywordWithoutEffect>& keywords_without_effect() { return kKeywordTable; }

void add_without_effect(std::string_view file, std::string_view section, std::vector<std::string>& known) {
  for (const KeywordWithoutEffect& row : kKeywordTable)
    if (row.file == file && row.section == section && !row.keyword.empty() &&
        std::find(known.begin(), known.end(), row.keyword) == known.end())
      known.emplace_back(row.keyword);
}

Keywords with_known(std::string_view file, std::string_view section, Keywords keywords) {
  add_without_effect(file, section, keywords.known);
  return keywords;
}

void tell_without_effect(std::string_view file, const SectionFile& sections, Problems& problems) {
  for (const KeywordWithoutEffect& known : kKeywordTable) {
    if (known.file != file) continue;
    const auto tell = [&](const Place& place, std::string_view what) {
      problems.warning(place, std::string(what) + " has no effect: " + std::string(known.why));
    };
    for (const Section* section : sections.all(known.section)) {
      if (known.keyword.empty()) {
        if (!section->rows.empty()) tell(section->place, "section " + section->name);
        continue;
      }
      // One line for a column of a table.
      for (const Row& row : section->rows)
        if (const Cell* cell = row.given(known.keyword)) {
          tell(cell->place, known.keyword);
          break;
        }
    }
  }
}

}  // namespace rollcall::conf
