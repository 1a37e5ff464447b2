#include "common/conf/known_parameters.hpp"

#include <algorithm>

#include "common/conf/documented_parameters.hpp"
#include "common/conf/problems.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

using File = KnownParameter::File;
using Effect = KnownParameter::Effect;

constexpr std::string_view kNoAffinity = "binding jobs to processors is not supported in this release";
constexpr std::string_view kProofs = "who a caller is, MUNGE or the cluster's key proves";
constexpr std::string_view kNoPoe = "POE is not supported";
constexpr std::string_view kNoCheckpoint = "jobs are not checkpointed";
constexpr std::string_view kInstaller = "it tells installers and shells where files are";
constexpr std::string_view kNoStream = "lsb.stream is not written";

const std::vector<KnownParameter> kLsfConf{
    {"EGO_DEFINE_NCPUS"},
    {"EGO_PIM_SWAP_REPORT", File::lsf_conf, Effect::none, "SWAP is the size of address spaces"},
    {"LSB_BHOSTS_FORMAT"},
    {"LSB_BJOBS_CONSISTENT_EXIT_CODE"},
    {"LSB_BJOBS_FORMAT"},
    {"LSB_BQUEUES_FORMAT"},
    {"LSB_BUSERS_FORMAT"},
    {"LSB_BSUB_PARSE_SCRIPT"},
    {"LSB_CONFDIR"},
    {"LSB_DEBUG", File::lsf_conf, Effect::none,
     "ports are LSB_MBD_PORT and LSF_RES_PORT; levels LSF_LOG_MASK"},
    {"LSB_DEFAULT_PJLTYPE"},
    {"LSB_DISABLE_LIMLOCK_EXCL"},
    {"LSB_DJOB_COMMFAIL_ACTION"},
    {"LSB_DJOB_HB_INTERVAL"},
    {"LSB_DJOB_RU_INTERVAL"},
    {"LSB_ESUB_METHOD"},
    {"LSB_GPU_NEW_SYNTAX", File::lsf_conf, Effect::none, "-gpu has the new syntax alone"},
    {"LSB_GPU_REQ"},
    {"LSB_HCLOSE_BY_RES", File::lsf_conf, Effect::none, "a host whose RES is down takes no jobs anyway"},
    {"LSB_JOBID_DISP_LENGTH", File::lsf_conf, Effect::none, "a job's number is never cut"},
    {"LSB_JOB_CPULIMIT"},
    {"LSB_JOB_MEMLIMIT"},
    {"LSB_JOB_REPORT_MAIL"},
    {"LSB_MAILPROG"},
    {"LSB_MAILTO", File::lsf_conf, Effect::none, "mail goes to the user's name, or where bsub -u says"},
    {"LSB_MAX_FORWARD_PER_SESSION"},
    {"LSB_MAX_JOB_DISPATCH_PER_SESSION", File::lsf_conf, Effect::none, "a cycle starts all that can start"},
    {"LSB_MBD_PORT"},
    {"LSB_MC_RECALL_EXIT_INFO"},
    {"LSB_MEMLIMIT_ENFORCE"},
    {"LSB_MOD_ALL_JOBS", File::lsf_conf, Effect::none, "bmod changes of a running job what can be changed"},
    {"LSB_NTRIES"},
    {"LSB_PRE_POST_EXEC_USER", File::lsf_conf, Effect::none, "pre- and post-execution run as the job's user"},
    {"LSB_SBD_PORT", File::lsf_conf, Effect::none, "RES does sbatchd's work, on LSF_RES_PORT"},
    {"LSB_SET_TMPDIR"},
    {"LSB_SHAREDIR"},
    {"LSB_SIGSTOP"},
    {"LSB_STDOUT_DIRECT", File::lsf_conf, Effect::none, "output goes to the file of -o directly, always"},
    {"LSB_UNIT_FOR_JOBS_DISPLAY"},
    {"LSB_USE_SEQUENTIAL_SIGNAL"},
    {"LSF_AUTH", File::lsf_conf, Effect::none, kProofs},
    {"LSF_BINDIR"},
    {"LSF_CGROUP_CORE_AUTO_CREATE", File::lsf_conf, Effect::later, kNoAffinity},
    {"LSF_CLUSTER_NAME"},
    {"LSF_CONFDIR"},
    {"LSF_DCGM_PORT", File::lsf_conf, Effect::none, "GPUs are what elims count"},
    {"LSF_DISABLE_LSRUN"},
    {"LSF_DJOB_TASK_REG_WAIT_TIME", File::lsf_conf, Effect::none,
     "blaunch waits until a host refuses or is silent"},
    {"LSF_EAUTH_SERVER", File::lsf_conf, Effect::none, kProofs},
    {"LSF_ELIM_BLOCKTIME"},
    {"LSF_ELIM_DEBUG"},
    {"LSF_ELIM_RESTARTS"},
    {"LSF_ENABLE_TMP_UNIT"},
    {"LSF_GPU_AUTOCONFIG", File::lsf_conf, Effect::none, "elim.hwloc counts GPUs where a site starts it"},
    {"LSF_GPU_RESOURCE_IGNORE", File::lsf_conf, Effect::none, "GPUs are what elims count"},
    {"LSF_HOST_ADDR_RANGE", File::lsf_conf, Effect::none, "hosts are those of lsf.cluster"},
    {"LSF_HPC_EXTENSIONS"},
    {"LSF_HPC_PJL_LOADENV_TIMEOUT"},
    {"LSF_HWLOC_DYNAMIC", File::lsf_conf, Effect::none, "the topology is read when LIM starts"},
    {"LSF_LIBDIR"},
    {"LSF_LIM_API_NTRIES", File::lsf_conf, Effect::none, "every host that may answer is asked once"},
    {"LSF_LIM_DEBUG", File::lsf_conf, Effect::none, "the port is LSF_LIM_PORT, the level LSF_LOG_MASK"},
    {"LSF_LIM_PORT"},
    {"LSF_LOCAL_RESOURCES", File::lsf_conf, Effect::none,
     "hosts are those of lsf.cluster, with what it says of them"},
    {"LSF_LOGDIR"},
    {"LSF_LOG_MASK"},
    {"LSF_LSLOAD_FORMAT"},
    {"LSF_MASTER_LIST"},
    {"LSF_MC_FORWARD_FAIRSHARE_CHARGE_DURATION", File::lsf_conf, Effect::later,
     "fairshare is not supported in this release"},
    {"LSF_INCLUDEDIR", File::lsf_conf, Effect::none, kInstaller},
    {"LSF_LICENSE_FILE", File::lsf_conf, Effect::none, "there are no licenses"},
    {"LSF_MANDIR", File::lsf_conf, Effect::none, kInstaller},
    {"LSF_MISC", File::lsf_conf, Effect::none, "nothing is kept there"},
    {"LSF_PAM_APPL_CHKPNT", File::lsf_conf, Effect::none, kNoCheckpoint},
    {"LSF_PAM_CLEAN_JOB_DELAY"},
    {"LSF_PAM_HOSTLIST_USE"},
    {"LSF_PAM_PLUGINDIR", File::lsf_conf, Effect::none, "pam has no plug-ins"},
    {"LSF_PAM_RUSAGE_UPD_FACTOR"},
    {"LSF_PAM_USE_ASH", File::lsf_conf, Effect::none, "there are no array session handles on Linux"},
    {"LSF_PJL_WAIT_DEF", File::lsf_conf, Effect::none, "LSF_HPC_PJL_LOADENV_TIMEOUT is the limit"},
    {"LSF_PJL_WAIT_REG", File::lsf_conf, Effect::none, "LSF_HPC_PJL_LOADENV_TIMEOUT is the limit"},
    {"LSF_POE_TIMEOUT_BIND", File::lsf_conf, Effect::none, kNoPoe},
    {"LSF_POE_TIMEOUT_SELECT", File::lsf_conf, Effect::none, kNoPoe},
    {"LSF_RES_ACCT", File::lsf_conf, Effect::none, "tasks of lsrun are not accounted"},
    {"LSF_RES_ACCTDIR", File::lsf_conf, Effect::none, "tasks of lsrun are not accounted"},
    {"LSF_RES_ALIVE_TIMEOUT"},
    {"LSF_RES_DEBUG", File::lsf_conf, Effect::none, "the port is LSF_RES_PORT, the level LSF_LOG_MASK"},
    {"LSF_RES_PORT"},
    {"LSF_RES_RLIMIT_UNLIM", File::lsf_conf, Effect::none,
     "a job has the limits of its submission and its queue"},
    {"LSF_ROOT_REX", File::lsf_conf, Effect::none, "root is a user like any other to RES"},
    {"LSF_RSH"},
    {"LSF_SERVERDIR"},
    {"LSF_SERVER_HOSTS"},
    {"LSF_STRICT_RESREQ"},
    {"LSF_STRIP_DOMAIN"},
    {"LSF_TMPDIR"},
    {"LSF_UNIT_FOR_LIMITS"},
    {"LSF_TOP", File::lsf_conf, Effect::none, kInstaller},
    {"LSF_USE_HOSTEQUIV", File::lsf_conf, Effect::none, kProofs},
    {"MC_PLUGIN_REMOTE_RESOURCE"},
    {"ROLLCALL_HOST_RELAY"},
    {"ROLLCALL_KEY_FILE"},
    {"ROLLCALL_ONE_WORD_CALLBACK"},
    {"ROLLCALL_TASK_CGROUPS"},
    {"ROLLCALL_TASK_RELAY"},
    {"XLSF_UIDDIR", File::lsf_conf, Effect::none, kInstaller},
};

const std::vector<KnownParameter> kLsbParams{
    {"ACCT_ARCHIVE_AGE", File::lsb_params},
    {"ACCT_ARCHIVE_SIZE", File::lsb_params},
    {"ACCT_ARCHIVE_TIME", File::lsb_params},
    {"CLEAN_PERIOD", File::lsb_params},
    {"COMPUTE_UNIT_TYPES", File::lsb_params, Effect::later,
     "scheduling by compute units is not supported in this release"},
    {"DEFAULT_APPLICATION", File::lsb_params},
    {"DEFAULT_HOST_SPEC", File::lsb_params, Effect::none, "time limits are wall clock time of any host"},
    {"DEFAULT_PROJECT", File::lsb_params},
    {"DEFAULT_QUEUE", File::lsb_params},
    {"DJOB_COMMFAIL_ACTION", File::lsb_params},
    {"DJOB_HB_INTERVAL", File::lsb_params},
    {"DJOB_RU_INTERVAL", File::lsb_params},
    {"ENABLE_EVENT_STREAM", File::lsb_params, Effect::none, kNoStream},
    {"EVENT_STREAM_FILE", File::lsb_params, Effect::none, kNoStream},
    {"GLOBAL_EXIT_RATE", File::lsb_params},
    {"HIST_HOURS", File::lsb_params, Effect::later, "fairshare is not supported in this release"},
    {"JOB_ACCEPT_INTERVAL", File::lsb_params},
    {"JOB_DISPATCH_PACK_SIZE", File::lsb_params, Effect::none, "a cycle starts all that can start"},
    {"JOB_EXIT_RATE_DURATION", File::lsb_params},
    {"JOB_HISTORY_DAYS", File::lsb_params},
    {"JOB_POSTPROC_TIMEOUT", File::lsb_params},
    {"JOB_PREPROC_TIMEOUT", File::lsb_params},
    {"JOB_SPOOL_DIR", File::lsb_params, Effect::none,
     "what bsub -is and -Zs copy goes with the job, output to its file"},
    {"JOB_TERMINATE_INTERVAL", File::lsb_params},
    {"LOCAL_MAX_PREEXEC_RETRY", File::lsb_params},
    {"LOCAL_MAX_PREEXEC_RETRY_ACTION", File::lsb_params},
    {"MAX_ACCT_ARCHIVE_FILE", File::lsb_params},
    {"MAX_EVENT_ARCHIVE_FILE", File::lsb_params},
    {"MAX_EVENT_STREAM_FILE_NUMBER", File::lsb_params, Effect::none, kNoStream},
    {"MAX_EVENT_STREAM_SIZE", File::lsb_params, Effect::none, kNoStream},
    {"MAX_JOBID", File::lsb_params},
    {"MAX_JOB_ARRAY_SIZE", File::lsb_params},
    {"MAX_JOB_NUM", File::lsb_params},
    {"MAX_JOB_PREEMPT", File::lsb_params},
    {"MAX_JOB_REQUEUE", File::lsb_params},
    {"MAX_PREEXEC_RETRY", File::lsb_params},
    {"MAX_REQUEUE_PAUSE", File::lsb_params},
    {"MAX_SBD_CONNS", File::lsb_params, Effect::none, "every host has one connection"},
    {"MAX_SBD_FAIL", File::lsb_params},
    {"MAX_STREAM_RECORDS", File::lsb_params, Effect::none, kNoStream},
    {"MAX_TOTAL_TIME_PREEMPT", File::lsb_params},
    {"MAX_USER_JOB_STORAGE", File::lsb_params},
    {"MBD_SLEEP_TIME", File::lsb_params},
    {"MC_PENDING_REASON_PKG_SIZE", File::lsb_params},
    {"MC_PENDING_REASON_UPDATE_INTERVAL", File::lsb_params},
    {"MC_PLUGIN_SCHEDULE_ENHANCE", File::lsb_params},
    {"MC_PLUGIN_UPDATE_INTERVAL", File::lsb_params},
    {"MC_RECLAIM_DELAY", File::lsb_params},
    {"MC_RESOURCE_MATCHING_CRITERIA", File::lsb_params},
    {"MC_RUSAGE_UPDATE_INTERVAL", File::lsb_params},
    {"NEW_JOB_SCHED_DELAY", File::lsb_params, Effect::none, "it is a queue's parameter"},
    {"NO_PREEMPT_FINISH_TIME", File::lsb_params},
    {"NO_PREEMPT_INTERVAL", File::lsb_params},
    {"NO_PREEMPT_RUN_TIME", File::lsb_params},
    {"PG_SUSP_IT", File::lsb_params},
    {"PREEMPTABLE_RESOURCES", File::lsb_params},
    {"PREEMPT_DELAY", File::lsb_params},
    {"PREEMPT_FOR", File::lsb_params},
    {"PREEMPT_JOBTYPE", File::lsb_params},
    {"RESOURCE_RESERVE_PER_SLOT", File::lsb_params},
    {"RESOURCE_RESERVE_PER_TASK", File::lsb_params},
    {"SBD_SLEEP_TIME", File::lsb_params},
    {"USE_SUSP_SLOTS", File::lsb_params},
};

void tell(const Place& place, const KnownParameter& known, Problems& problems) {
  problems.warning(place, std::string(known.name) + " has no effect" +
                              (known.effect == Effect::later ? " yet" : "") + ": " + std::string(known.why));
}

}  // namespace

const std::vector<KnownParameter>& known_parameters() {
  static const std::vector<KnownParameter> all = [] {
    std::vector<KnownParameter> both = kLsfConf;
    both.insert(both.end(), kLsbParams.begin(), kLsbParams.end());
    for (const auto& [file, effect, why, names] : documented_parameters())
      for (const std::string_view name : names) both.push_back({name, file, effect, why});
    return both;
  }();
  return all;
}

bool has_effect(std::string_view parameter) {
  return std::any_of(kLsbParams.begin(), kLsbParams.end(), [parameter](const KnownParameter& known) {
    return known.effect == Effect::some && same_name(known.name, parameter);
  });
}

void tell_without_effect(const LsfConf& lsf_conf, Problems& problems) {
  for (const KnownParameter& known : known_parameters())
    if (known.file == File::lsf_conf && known.effect != Effect::some)
      if (const Setting* setting = lsf_conf.find(known.name)) tell(setting_place(*setting), known, problems);
}

void tell_without_effect(const LsbParams& params, Problems& problems) {
  for (const KnownParameter& known : known_parameters())
    if (known.file == File::lsb_params && known.effect != Effect::some)
      if (const Cell* cell = params.cells.given(known.name)) tell(cell->place, known, problems);
}

}  // namespace rollcall::conf
