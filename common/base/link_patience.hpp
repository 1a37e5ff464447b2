// LinkPatience: how long a parallel job waits for a host that is silent, and what becomes of the job then. One value for blaunch,
// pam, TaskStarter and the shepherds of a job; mbatchd hands it to the job in its environment. Pure.
//
//   LSF_RES_ALIVE_TIMEOUT     seconds of silence after which a host's tasks are lost; 0: never            60
//   LSB_DJOB_HB_INTERVAL      seconds between the kernel's probes of an idle connection                   15
//   LSB_DJOB_COMMFAIL_ACTION  KILL_TASKS, IGNORE_COMMFAIL; empty: all tasks and the job are ended
//
// Rules: lsf.conf(5), lsb.queues(5), "DJOB_".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/job_clock.hpp"

namespace rollcall {

enum class CommfailAction {
  end_job,          // end all tasks, and the job
  kill_tasks,       // end the tasks of the command that lost one; the job goes on
  ignore_commfail,  // wait for the host without a limit
};
// Reads DJOB_COMMFAIL_ACTION; empty where the word is unknown.
std::optional<CommfailAction> commfail_action(std::string_view word);
std::string_view text(CommfailAction action);  // LSF's word; "" for end_job

struct LinkPatience {
  Duration silence = std::chrono::seconds(60);  // zero: no limit
  Duration heartbeat = std::chrono::seconds(15);
  CommfailAction action = CommfailAction::end_job;

  friend bool operator==(const LinkPatience&, const LinkPatience&) = default;
};

// Of the three variables; "" or a value that is none leaves the default.
LinkPatience link_patience(std::string_view alive_timeout, std::string_view heartbeat,
                           std::string_view action);

// DJOB_HB_INTERVAL and DJOB_RU_INTERVAL grow with the job: max(SECONDS, 10) + 0.01 for each of its hosts.
Duration scaled_interval(Duration asked, std::size_t hosts);

// A heartbeat interval that an administrator chose is honoured: three beats must be missed before a host is lost.
Duration silence_for(Duration alive_timeout, std::optional<Duration> heartbeat);

}  // namespace rollcall
