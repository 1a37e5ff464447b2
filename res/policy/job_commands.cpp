#include "res/policy/job_commands.hpp"

#include "common/base/shell_quote.hpp"
#include "res/policy/file_transfers.hpp"

namespace rollcall::res {
namespace {

std::vector<std::string> lines_of(const std::vector<FileTransfer>& transfers) {
  std::vector<std::string> lines;
  for (const auto& transfer : transfers) lines.push_back(transfer.command);
  return lines;
}

}  // namespace

std::vector<std::string> commands_before(const wire::ToRes::StartJob& start) {
  auto lines = lines_of(transfers_to_host(start));
  lines.push_back(start.queue_pre_exec());
  lines.push_back(start.submission().pre_exec());
  return lines;
}

std::string eexec_command(const wire::JobOrder& order, const std::string& data_file) {
  if (order.eexec().empty()) return "";
  return shell_quote(order.eexec()) + " <" + shell_quote(data_file) + " || :";
}

std::vector<std::string> commands_back(const wire::ToRes::StartJob& start, const std::string& errors_file) {
  return lines_of(transfers_back(start, errors_file));
}

std::vector<std::string> commands_after(const wire::ToRes::StartJob& start) {
  return {start.submission().post_exec(), start.queue_post_exec()};
}

}  // namespace rollcall::res
