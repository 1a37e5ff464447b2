#include "sched/policy/answers/forward_reasons.hpp"

namespace rollcall::sched::answers {

std::vector<std::string> forward_reasons(const RemoteLook& look, const wire::JobRecord& record) {
  std::vector<std::string> lines;
  if (look.rows.empty() && !look.table.empty()) {
    lines.push_back(look.table);
    while (lines.back().ends_with('\n')) lines.back().pop_back();
    return lines;
  }
  std::string offered;
  for (const auto& row : look.rows) {
    const std::string queue = "queue <" + row.queue() + "> of cluster <" + row.cluster() + ">";
    if (row.tier().empty())
      lines.push_back("Not forwarded to " + queue + ": " + row.why());
    else
      offered += (offered.empty() ? "" : ", ") + queue;
  }
  if (!offered.empty())
    lines.push_back("Waiting to be forwarded to " + offered +
                    (record.start_failure().empty() ? "" : "; refused before: " + record.start_failure()));
  return lines;
}

}  // namespace rollcall::sched::answers
