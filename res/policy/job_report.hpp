// job_report: what a job's user is told when it is over: the mail, and the end of the -o file. A function.
//
// The text is a contract: dvsim and Snakemake's profiles read it line by line (tests/golden/res).
#pragma once

#include <functional>
#include <string>

#include "common/wire/res.pb.h"

namespace rollcall::res {

struct ReportFacts {
  const wire::JobOrder& order;  // with `start`
  const wire::FromRes::JobOver& over;
  std::string directory;   // where it ran
  bool sampled = false;    // its usage was looked at at least once
  std::string error_file;  // -e; "" : none
  std::int64_t reported_us = 0;
  std::function<std::string(std::int64_t us)> date;  // "Thu Jun 11 18:23:40 2020"
  std::string output_file = {};                      // where the output is; "" : as -o says
  std::string trouble = {};                          // lines: what of -i, -o, -e is not where it should be
};

enum class ReportPlace {
  output_file,  // behind the job's output
  mail,         // the output, if any, follows
  mail_alone,   // -N: the output is in its file
};

// "Job 12: <sleep 1> in cluster <c1> Done". Id and cluster are those of the submission: the user knows no others.
std::string subject_of(const ReportFacts& facts);
std::string report_text(const ReportFacts& facts, ReportPlace place);

// "TERM_MEMLIMIT: job killed after reaching LSF memory usage limit."; "" where there is none to show.
std::string term_line(int reason);

}  // namespace rollcall::res
