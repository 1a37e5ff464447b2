#include "sched/policy/show/format_checks.hpp"

#include "common/conf/chosen_columns.hpp"
#include "sched/policy/show/show_batch_hosts.hpp"
#include "sched/policy/show/show_information.hpp"
#include "sched/policy/show/show_job_fields.hpp"
#include "sched/policy/show/show_queues.hpp"

namespace rollcall::sched::show {
namespace {

// "": the format is valid.
template <class Value>
std::string error_of(const Result<Value>& parsed) {
  if (parsed) return "";
  const std::string& text = parsed.error().text;
  return text.starts_with("-o: ") ? text.substr(4) : text;
}

std::string error_in(const conf::ChosenColumns& columns) {
  if (columns.command == "bjobs") return error_of(JobFields::parse(columns.text, {}));
  if (columns.command == "bhosts") return error_of(batch_hosts_fields({}, columns.text, {}));
  if (columns.command == "bqueues") return error_of(queues_fields({}, columns.text, {}));
  return error_of(users_fields({}, columns.text, {}));
}

}  // namespace

void check_formats(const conf::ClusterFiles& files, conf::Problems& problems) {
  for (const conf::ChosenColumns& columns : conf::chosen_columns(files))
    if (const std::string error = error_in(columns); !error.empty())
      problems.warning(columns.place, columns.parameter + ": " + error + "; " + columns.command +
                                          " fails with it (see " + columns.command + "(1), -o)");
}

}  // namespace rollcall::sched::show
