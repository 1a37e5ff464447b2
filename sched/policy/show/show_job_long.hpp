// show_job_long: the output of bjobs -l and -UF: a block for each job with all that is known of it. Pure.
#pragma once

#include <string>

#include "sched/policy/show/show_jobs.hpp"

namespace rollcall::sched::show {

// Begins with a blank line. `reasons`: ReasonForm::named or words.
std::string job_block(const JobView& job, const wire::Submission& asked, Wrapping wrapping,
                      ReasonForm reasons, const ShowTime& time);

// Texts that bjobs -l, bhist -l and bacct -l have in common.
// "Job <12[3]>, Job Name <x>, User <u>, Project <p>"
std::string job_title(const wire::JobRecord& job, const wire::Submission& asked);
// ", CWD <$HOME>, Output File <x>, 4 Task(s), Requested Resources <...>" and the other options. `expanded`: expands %J and %I.
std::string asked_words(const wire::JobRecord& job, const wire::Submission& asked, bool expanded);
// "4 Task(s) on Host(s) <4*hostA> <hostB>, Allocated 5 Slot(s) on Host(s) <4*hostA> <hostB>"
std::string placed_words(const google::protobuf::RepeatedPtrField<wire::ExecHost>& hosts);
// When the job was forwarded, and where to; "": it was not.
std::string forwarded_paragraph(const wire::JobRecord& job, Wrapping wrapping, const ShowTime& time);
// "Done successfully", "Exited with exit code 3", "Exited by signal 9".
std::string end_words(wire::JobStatus status, std::int32_t exit_status);
// "TERM_OWNER: job killed by owner"; "": no reason is known.
std::string term_words(std::int32_t term_reason);

}  // namespace rollcall::sched::show
