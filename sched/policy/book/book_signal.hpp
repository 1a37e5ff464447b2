// SignalWork, SwitchWork: the progress of one request of bkill, bstop, bresume, brequeue or brun, or of bswitch: which jobs it
// means, how far it has come, and the answer so far for the present job or array. bkill 0 may mean a hundred thousand jobs. It is
// done in pieces, so that other clients are served in between (ClientCommands::signal_some, switch_some).
//
// All jobs are selected, in pieces too, before the first of them is changed. Jobs that are submitted after the begin are left out.
// Each job is judged by its state when it is reached.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sched/policy/book/book.hpp"
#include "sched/policy/book/client_commands.hpp"
#include "sched/policy/jobs/submission_check.hpp"

namespace rollcall::sched::book {

// The subject of one line of the answer: a job, or an array as it was named.
struct JobUnit {
  std::string name;  // "12", "12[3]"
  std::vector<JobKey> keys;
  bool named = true;      // by id: a failure is reported
  bool of_range = false;  // one of several elements that are named together: that it is over is no failure
};

// Why a request cannot be applied to a job.
struct Objection {
  std::string text;
  jobs::Refusal::Why why = jobs::Refusal::FAILED;
};

struct UnitWork {
  Identity who;
  std::shared_ptr<SelectWork> selecting;  // null: selection is complete
  Selection selected;                     // of a request by id, until selection is complete
  std::vector<JobUnit> units;
  std::vector<std::string> unknown;                  // ids that do not exist, as written
  std::optional<wire::BatchReply::Outcome> is_over;  // of an element of a range; told where nothing else is
  std::optional<jobs::Refusal> refusal;              // of the whole request

  std::size_t unit = 0, key = 0;  // the next job: place in `units`, place in JobUnit::keys
  bool all_back = false;          // none of them waits in another cluster any longer
  // Of the present unit:
  bool any = false;                // it was applied to a job
  std::optional<Objection> first;  // of the first job to which it could not be applied
  bool told = false;               // the answer has a line
  std::set<std::string> waits;     // what is said of orders that wait for clusters
};

struct SignalWork : UnitWork {
  wire::SignalJobs request;
};
struct SwitchWork : UnitWork {
  wire::SwitchJobs request;
};

// The answer while they are awaited.
Applied still_away(Effects effects);
// bmod and bswitch change a job that waits in another cluster once it is back. Asks for those of the work that the user may change;
// true: all have been answered, each is here or has begun there, or its cluster knows no recalls.
bool all_back(Memory& m, UnitWork& work, WallTime now, Effects& effects);
// Why a job on lent slots, or a part of one, is not changed here: its queue and limits are its own cluster's. None: it may be.
std::optional<std::string> changed_there_alone(const wire::JobRecord& record);
// Why a job that has begun in another cluster, or cannot be asked back, is not changed.
std::string runs_elsewhere(const Memory& m, const wire::JobRecord& record);

}  // namespace rollcall::sched::book
