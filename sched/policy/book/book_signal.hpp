// SignalWork, SwitchWork: one request of bkill, bstop, bresume, brequeue or brun, or of bswitch, on its way: which jobs it
// means, how far it has come, and what is to be said of the job or array at which it is. bkill 0 may mean a hundred thousand
// jobs; it is done in pieces, so that nobody else waits for all of them (ClientCommands::signal_some, switch_some).
//
// All jobs that are meant are selected before anything is done to the first of them. Selecting is done in pieces as well; jobs that
// are submitted after the begin are not meant. What each job is when its turn comes counts.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sched/policy/book/book.hpp"
#include "sched/policy/jobs/submission_check.hpp"

namespace rollcall::sched::book {

// What a line of an answer is about: one job, or an array as it was named.
struct JobUnit {
  std::string name;  // "12", "12[3]"
  std::vector<JobKey> keys;
  bool named = true;  // by id: what cannot be done is told
};

// What cannot be done with a job, and why.
struct Objection {
  std::string text;
  jobs::Refusal::Why why = jobs::Refusal::FAILED;
};

struct UnitWork {
  Identity who;
  std::shared_ptr<SelectWork> selecting;  // null: all are selected
  Selection selected;                     // of a request by id, until all are
  std::vector<JobUnit> units;
  std::vector<std::string> unknown;      // ids that are not there
  std::optional<jobs::Refusal> refusal;  // of the whole request

  std::size_t unit = 0, key = 0;  // where it goes on
  // Of the present unit:
  bool any = false;                // a job to which it was done
  std::optional<Objection> first;  // the first one to which it could not be done
  bool told = false;               // something was told at all
};

struct SignalWork : UnitWork {
  wire::SignalJobs request;
};
struct SwitchWork : UnitWork {
  wire::SwitchJobs request;
};

}  // namespace rollcall::sched::book
