// JobPrinter: makes the text of bjobs for each job, and before and after all jobs; one for each form of output. It gets the jobs
// part by part, as they arrive; bjobs prints the texts.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sched/policy/show/show_job_fields.hpp"

namespace rollcall::sched {

class JobPrinter {
 public:
  virtual ~JobPrinter() = default;
  virtual std::string header() { return ""; }
  virtual std::string job(const show::JobView& job, const wire::Submission& asked) = 0;
  // Of jobs that do not come one by one (-sum).
  virtual void add(const wire::BatchReply::SlotSums& sums);
  // Gets the unknown ids; gives the lines that are left for standard error.
  virtual std::vector<std::string> unknown(const std::vector<std::string>& ids);
  virtual std::string end() { return ""; }
  virtual bool even_if_none() const { return false; }
};

// Rows of a table. `more`: a field behind each row (-WF -WL -WP).
struct RowsForm {
  show::JobForm form = show::JobForm::narrow;
  std::optional<show::ReasonForm> reasons;
  bool header = true;
  std::optional<show::JobFields> more;
};
std::unique_ptr<JobPrinter> rows_printer(RowsForm form, show::ShowTime time);
// -l, -UF.
struct BlocksForm {
  show::Wrapping wrapping = show::Wrapping::at_80;
  show::ReasonForm reasons = show::ReasonForm::named;
  bool gpus = false;  // -gpu
};
std::unique_ptr<JobPrinter> blocks_printer(BlocksForm form, show::ShowTime time);
// -o.
std::unique_ptr<JobPrinter> fields_printer(show::JobFields fields, bool header, show::ShowTime time);
std::unique_ptr<JobPrinter> json_printer(show::JobFields fields, show::ShowTime time);
// -sum: slots by state. -psum: jobs by reason.
std::unique_ptr<JobPrinter> slots_printer();
std::unique_ptr<JobPrinter> reasons_printer(std::string cluster, show::ShowTime time);
// -script, -env: one job's as it is; of several each below its job's number.
enum class JobText { script, environment };
std::unique_ptr<JobPrinter> texts_printer(JobText text);

}  // namespace rollcall::sched
