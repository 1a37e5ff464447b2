#include "res/policy/file_transfers.hpp"

#include <sys/wait.h>

#include "common/base/shell_quote.hpp"
#include "res/policy/copy_options.hpp"
#include "res/policy/job_files.hpp"

namespace rollcall::res {
namespace {

using Asked = wire::FileTransfer;

struct Ends {
  std::string there;  // HOST:PATH of the submission host
  std::string here;
  std::string shown;  // `there`, for people
};

Ends ends_of(const wire::ToRes::StartJob& start, int number) {
  const auto& submission = start.submission();
  const auto& job = start.job().key();
  const auto& asked = submission.transfers(number);
  const std::string path = under(submission.cwd(), expand_name(asked.local(), job));
  const std::string here = under(wanted_directory(submission, job), expand_name(asked.remote(), job));
  if (!start.from_cluster().empty())
    return {"@:f" + std::to_string(number), here,
            submission.from_host() + "@" + start.from_cluster() + ":" + path};
  return {submission.from_host() + ":" + path, here, submission.from_host() + ":" + path};
}

// RES sets LSF_BINDIR, whatever the user's environment says. It may contain blanks.
std::string copy_line(const std::string& options, const std::string& from, const std::string& to) {
  return "\"${LSF_BINDIR:+$LSF_BINDIR/}lsrcp\" " + options + "-- " + shell_quote(from) + " " +
         shell_quote(to);
}

bool goes_there(const Asked& asked) {
  return asked.direction() == Asked::TO_HOST || asked.direction() == Asked::BOTH;
}
bool comes_back(const Asked& asked) { return asked.direction() != Asked::TO_HOST; }

std::string complaint(int status) {
  if (!WIFEXITED(status)) return "lsrcp was killed";
  switch (WEXITSTATUS(status)) {
    case kCannotRead:
      return "it cannot be read";
    case kCannotWrite:
      return "it cannot be written there";
    case kCannotReach:
      return "that host's RES cannot be reached";
    default:
      return "lsrcp ended with exit code " + std::to_string(WEXITSTATUS(status));
  }
}

}  // namespace

std::vector<FileTransfer> transfers_to_host(const wire::ToRes::StartJob& start) {
  std::vector<FileTransfer> transfers;
  for (int i = 0; i < start.submission().transfers_size(); ++i) {
    if (!goes_there(start.submission().transfers(i))) continue;
    const Ends ends = ends_of(start, i);
    transfers.push_back({copy_line("", ends.there, ends.here), ends.shown + " to " + ends.here});
  }
  return transfers;
}

std::vector<FileTransfer> transfers_back(const wire::ToRes::StartJob& start, const std::string& errors_file) {
  std::vector<FileTransfer> transfers;
  for (int i = 0; i < start.submission().transfers_size(); ++i) {
    const auto& asked = start.submission().transfers(i);
    if (!comes_back(asked)) continue;
    const Ends ends = ends_of(start, i);
    const bool append = asked.direction() == Asked::APPEND_BACK;
    std::string line = copy_line(append ? "-a " : "", ends.here, ends.there);
    if (!errors_file.empty()) line += " 2>>" + shell_quote(errors_file);
    transfers.push_back({std::move(line), ends.here + " to " + ends.shown});
  }
  return transfers;
}

std::string fetch_input(const std::string& to, const std::string& complaint) {
  return copy_line("", "@:input", to) + " 2>" + shell_quote(complaint) + " || rm -f -- " + shell_quote(to);
}

std::string return_file(const std::string& file, const char* name, const std::string& complaint) {
  return copy_line("", file, std::string("@:") + name) + " 2>" + shell_quote(complaint) + " && rm -f -- " +
         shell_quote(file);
}

std::string failed_transfer(const wire::ToRes::StartJob& start, const std::string& command, int status) {
  for (const auto& transfer : transfers_to_host(start))
    if (transfer.command == command) return "-f: cannot copy " + transfer.what + ": " + complaint(status);
  return {};
}

}  // namespace rollcall::res
