#include "common/base/term_reason.hpp"

#include <algorithm>
#include <array>

namespace rollcall {
namespace {

struct ReasonRow {
  std::int32_t number;
  std::string_view keyword;
  std::string_view sentence;
};
constexpr std::array<ReasonRow, 28> kReasons{{
    {TERM_UNKNOWN, "TERM_UNKNOWN", ""},
    {TERM_PREEMPT, "TERM_PREEMPT", "job killed after preemption"},
    {TERM_WINDOW, "TERM_WINDOW", "job killed after queue run window closed"},
    {TERM_LOAD, "TERM_LOAD", "job killed after load exceeds threshold"},
    {TERM_OTHER, "TERM_OTHER", "job killed for another reason"},
    {TERM_RUNLIMIT, "TERM_RUNLIMIT", "job killed after reaching LSF run time limit"},
    {TERM_DEADLINE, "TERM_DEADLINE", "job killed after deadline expires"},
    {TERM_PROCESSLIMIT, "TERM_PROCESSLIMIT", "job killed after reaching LSF process limit"},
    {TERM_FORCE_OWNER, "TERM_FORCE_OWNER", "job killed by owner without time for cleanup"},
    {TERM_FORCE_ADMIN, "TERM_FORCE_ADMIN",
     "job killed by root or LSF administrator without time for cleanup"},
    {TERM_REQUEUE_OWNER, "TERM_REQUEUE_OWNER", "job killed and requeued by owner"},
    {TERM_REQUEUE_ADMIN, "TERM_REQUEUE_ADMIN", "job killed and requeued by root or LSF administrator"},
    {TERM_CPULIMIT, "TERM_CPULIMIT", "job killed after reaching LSF CPU usage limit"},
    {13, "TERM_CHKPNT", "job killed after checkpointing"},
    {TERM_OWNER, "TERM_OWNER", "job killed by owner"},
    {TERM_ADMIN, "TERM_ADMIN", "job killed by root or LSF administrator"},
    {TERM_MEMLIMIT, "TERM_MEMLIMIT", "job killed after reaching LSF memory usage limit"},
    {TERM_EXTERNAL_SIGNAL, "TERM_EXTERNAL_SIGNAL", "job killed by a signal external to LSF"},
    {18, "TERM_RMS", "job exited from an RMS system error"},
    {TERM_ZOMBIE, "TERM_ZOMBIE", "job exited while LSF is not available"},
    {TERM_SWAP, "TERM_SWAP", "job killed after reaching LSF swap usage limit"},
    {TERM_THREADLIMIT, "TERM_THREADLIMIT", "job killed after reaching LSF thread limit"},
    {23, "TERM_BUCKET_KILL", "job killed with bkill -b"},
    {TERM_CWD_NOTEXIST, "TERM_CWD_NOTEXIST",
     "current working directory is not accessible or does not exist on the execution host"},
    {TERM_REMOVE_HUNG_JOB, "TERM_REMOVE_HUNG_JOB", "job removed from LSF"},
    {TERM_ORPHAN_SYSTEM, "TERM_ORPHAN_SYSTEM", "orphan job terminated automatically by LSF"},
    {TERM_PRE_EXEC_FAIL, "TERM_PRE_EXEC_FAIL", "job killed after reaching pre-execution retry limit"},
    {TERM_MC_RECALL, "TERM_MC_RECALL", "job killed because its slots were taken back from a lease"},
}};
const ReasonRow& row_of(std::int32_t reason) {
  const auto row = std::find_if(kReasons.begin(), kReasons.end(),
                                [reason](const ReasonRow& r) { return r.number == reason; });
  return row == kReasons.end() ? kReasons.front() : *row;
}

}  // namespace

std::string_view term_keyword(std::int32_t reason) { return row_of(reason).keyword; }
std::string_view term_sentence(std::int32_t reason) { return row_of(reason).sentence; }

}  // namespace rollcall
