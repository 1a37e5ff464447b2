// apply: one function for each option of bsub, which sets fields of a Draft. The grammar of values is in submit_values.cpp.
#pragma once

#include "sched/policy/submit/submission.hpp"
#include "sched/policy/submit/submit_options.hpp"

namespace rollcall::sched::submit::apply {

using Apply = Result<void>(Draft&, const std::string&, const SubmitContext&);

Apply array_name, begin, terminate, cpu, run_time, core, data, file_size, memory, stack, swap, processes,
    threads;
Apply slots, nodes, resreq, hosts, queues, project, user_group, dependency, transfer, environment, shell, gpu;
Apply requeue_exits, warning_signal, warning_time, cwd, output_dir, output, output_over, errors, errors_over,
    input, input_spooled, spool_command;
Apply pre_exec, post_exec, job_group, application, description, mail_user, esubs, alloc_flags, command;
Apply hold, exclusive, rerunnable, never_rerun, mail_start, mail_end, waits, plain, terminal, terminal_shell,
    id_only, json, verbose;

}  // namespace rollcall::sched::submit::apply
