// The lines pam says about a job. Functions of the roll; roll.cpp decides when.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pam/policy/roll.hpp"

namespace rollcall::pam {

// "n1-n4,m7": names in natural order, runs of a common stem folded.
std::string fold_hosts(const std::set<std::string>& hosts);

// "412 of 512 tasks: cannot execute /x/app: No such file or directory (hosts n1-n4)", one line for each kind of failure.
std::vector<std::string> not_started_lines(const Roll& roll);

// "only 3 of 4 tasks registered before the launcher mpirun ended: n1 2 of 2, n2 1 of 2; missing ranks 3"
std::string fewer_line(const Roll& roll);

// Tasks that were killed (KILL or TERM) after another had failed by itself or was lost with its TaskStarter: by the launcher, which ends a job so, or by pam.
struct KilledAfterFailure {
  std::optional<Tid> first;  // the one that failed, or was lost
  std::vector<Tid>
      killed;  // ascending; none where pam was asked to send that signal, or where the launcher itself died of one
};
// The first failure and whom it took along.
KilledAfterFailure killed_after_failure(const Roll& roll);

// "task 2 (pid 17) on n2 failed first, with Exit (3); 3 more were killed after it (n1,n3)"; "" where none was.
// "task 2 (pid 17) on n2 was lost first; ..." where its TaskStarter was killed.
std::string first_failure_line(const Roll& roll);

// "900 of 1000 tasks on 8 hosts registered within 300 s (LSF_HPC_PJL_LOADENV_TIMEOUT), and more come: ..."
std::string still_coming_line(const Roll& roll);

// "3 of 4 tasks registered within 300 s (LSF_HPC_PJL_LOADENV_TIMEOUT): n1 2 of 2, n2 1 of 2; missing ranks 3"
std::string missing_line(const Roll& roll, Duration timeout, const std::string& parameter);

// "hydra_pmi_proxy (pid 7) on n2 was killed by signal 9 (KILL)", for what a TaskStarter or pam lost.
std::string lost_process(const std::string& name, pid_t pid, const std::string& host,
                         const std::optional<ExitStatus>& status);

// "task 3 (pid 12) on n2"
std::string task_name(const Roll& roll, Tid tid);

// "TaskStarter (pid 9) of task 3 (pid 12) on n2 is lost"
std::string loss_line(const Roll& roll, Tid tid, LossCause cause);

// "10 s", "0.5 s"
std::string seconds_text(Duration duration);

}  // namespace rollcall::pam
