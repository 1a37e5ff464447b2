#include "sched/policy/submit/awaited_lines.hpp"

#include <utility>

#include "common/base/term_reason.hpp"

namespace rollcall::sched::submit {

std::string reason_lines(const wire::BatchReply::JobView& job) {
  std::string lines;
  for (const auto& reason : job.reasons()) {
    std::string text = reason.why().empty() ? reason.text() : reason.why();
    // Removes the ";" at the end of reasons, which is bjobs -p's.
    while (!text.empty() && (text.back() == ';' || text.back() == ' ')) text.pop_back();
    if (text.empty()) continue;
    if (reason.why().empty() && reason.count() > 0)
      text += ": " + std::to_string(reason.count()) + (reason.count() == 1 ? " host" : " hosts");
    lines += (lines.empty() ? "<<  " : "\n<<  ") + text + ">>";
  }
  return lines;
}

std::string killed_line(const wire::BatchReply::Awaited& news) {
  const auto& record = news.job().record();
  if (!news.over()) return "";
  switch (record.term_reason()) {
    case TERM_OWNER:
    case TERM_ADMIN:
    case TERM_FORCE_OWNER:
    case TERM_FORCE_ADMIN:
      return "<< Job <" + std::to_string(record.key().id()) +
             "> has been terminated by user or administrator >>";
    default:
      return "";
  }
}

void AwaitedLines::wait(std::vector<std::string>& lines) {
  if (!std::exchange(waiting_told_, true)) lines.push_back("<<Waiting for dispatch ...>>");
}

void AwaitedLines::start(std::vector<std::string>& lines, const std::string& host) {
  wait(lines);
  if (!std::exchange(started_told_, true)) lines.push_back("<<Starting on " + host + ">>");
}

void AwaitedLines::suspend(std::vector<std::string>& lines, const char* by) {
  if (!std::exchange(suspended_told_, true))
    lines.push_back(std::string("<<The job was suspended by ") + by + ">>");
}

std::vector<std::string> AwaitedLines::told(const wire::BatchReply::Awaited& news) {
  const auto& record = news.job().record();
  std::vector<std::string> lines;
  const auto status = record.status();
  if (status == wire::STATUS_PEND || status == wire::STATUS_PSUSP || status == wire::STATUS_WAIT) {
    started_told_ = suspended_told_ = false;  // it may have been requeued
    wait(lines);
    return lines;
  }
  if (status == wire::STATUS_NULL) return lines;
  if (record.hosts().empty() || news.killed_pending())
    wait(lines);
  else
    start(lines, record.hosts(0).name());
  if (status == wire::STATUS_RUN) suspended_told_ = false;
  if (status == wire::STATUS_USUSP) suspend(lines, "user");
  if (status == wire::STATUS_SSUSP) suspend(lines, "the system");
  return lines;
}

std::vector<std::string> AwaitedLines::ready_on(const std::string& host) {
  std::vector<std::string> lines;
  start(lines, host);
  return lines;
}

}  // namespace rollcall::sched::submit
