#include "sched/policy/show/show_accounts.hpp"

#include <algorithm>

#include "common/base/table_cells.hpp"
#include "sched/policy/show/show_job_long.hpp"
#include "sched/policy/values/elsewhere.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched::show {
namespace {

const std::string& rule() {
  static const std::string line = std::string(78, '-') + "\n";
  return line;
}

struct Times {
  double cpu = 0, wait = 0, turnaround = 0, run = 0;
};

// In whole seconds, as in lsb.acct and bhist.
double between(std::int64_t from_us, std::int64_t to_us) {
  return static_cast<double>(std::max<std::int64_t>(0, to_us / 1'000'000 - from_us / 1'000'000));
}

Times times_of(const Finish& finish) {
  const auto& job = finish.record();
  Times times;
  times.cpu = job.usage().user_s() + job.usage().system_s();
  const std::int64_t start = job.start_us() > 0 ? job.start_us() : job.end_us();
  times.wait = between(job.submit_us(), start);
  times.turnaround = between(job.submit_us(), job.end_us());
  times.run = between(start, job.end_us());
  return times;
}

double quotient(double a, double b) { return b > 0 ? a / b : 0; }

template <class Words>
std::string listed(const Words& words, const char* all, const char* some) {
  if (words.empty()) return all;
  std::string text = some;
  for (const auto& word : words) text += " " + word + ",";
  text.pop_back();
  return text;
}

std::string between(const char* what, std::int64_t from, std::int64_t to, const ShowTime& time) {
  if (from == 0 && to == 0) return "";
  return std::string("  - ") + what + " between " + (from == 0 ? "the beginning" : time.at(from)) + ", and " +
         (to == 0 ? "now" : time.at(to)) + "\n";
}

// A title and its value, which ends in column `end`.
std::string cell(const std::string& title, const std::string& value, std::size_t end) {
  return title + right(value, title.size() < end ? end - title.size() : 0);
}
std::string pair_line(const std::string& title, const std::string& value, const std::string& second,
                      const std::string& second_value) {
  return cell(title, value, 35) + "      " + cell(second, second_value, 34) + "\n";
}
std::string ratio_line(const std::string& title, double value, const char* note) {
  return title + right(fixed(value, 2), title.size() < 29 ? 35 - title.size() : 6) + note + "\n";
}

}  // namespace

std::string accounts_preface(const wire::AskFinished& ask, const std::string& caller, const ShowTime& time) {
  const bool by_id = ask.filter().keys_size() > 0 || ask.filter().index_lists_size() > 0;
  const bool everybody = by_id ||
                         std::find(ask.users().begin(), ask.users().end(), "all") != ask.users().end() ||
                         ask.filter().user() == "all";
  const char* ends = ask.only_done() && !ask.only_exited()   ? "completed normally"
                     : ask.only_exited() && !ask.only_done() ? "exited"
                                                             : "completed normally or exited";
  std::string text = "\nAccounting information about jobs that are: \n  - ";
  text += everybody              ? "submitted by all users.\n"
          : ask.users_size() > 0 ? listed(ask.users(), "", "submitted by users") + ".\n"
                                 : "submitted by users " + caller + ".\n";
  text += "  - " + listed(ask.projects(), "accounted on all projects", "accounted on projects") + ".\n";
  text += std::string("  - ") + ends + "\n";
  text += "  - " + listed(ask.hosts(), "executed on all hosts", "executed on hosts") + ".\n";
  text += "  - " + listed(ask.queues(), "submitted to all queues", "submitted to queues") + ".\n";
  text += "  - accounted on all service classes.\n  - accounted to all RC accounts.\n";
  text += between("submitted", ask.submitted_from_us(), ask.submitted_to_us(), time);
  text += between("completed", ask.completed_from_us(), ask.completed_to_us(), time);
  text += between("dispatched", ask.dispatched_from_us(), ask.dispatched_to_us(), time);
  return text + rule() + "\n";
}

std::string account_block(const Finish& finish, Wrapping wrapping, const ShowTime& time) {
  const auto& job = finish.record();
  const auto& asked = finish.asked();
  const Times times = times_of(finish);
  std::string text = paragraph(job_title(job, asked) + ", Status <" + std::string(status_word(job.status())) +
                                   ">, Queue <" + job.queue() + ">, Command <" + asked.command() + ">",
                               wrapping);
  text += paragraph(time.at(job.submit_us()) + ": Submitted from host <" + from_host_word(job, asked) + ">" +
                        asked_words(job, asked, false) + ";",
                    wrapping);
  text += forwarded_paragraph(job, wrapping, time);
  if (job.start_us() > 0 && job.hosts_size() > 0) {
    std::string started = time.at(job.start_us()) + ": Dispatched " + placed_words(job.hosts());
    if (!job.effective_resreq().empty()) started += ", Effective RES_REQ <" + job.effective_resreq() + " >";
    text += paragraph(started + ";", wrapping);
  }
  const bool done = job.status() == wire::STATUS_DONE;
  const std::string term = done ? "" : term_words(job.term_reason());
  text += paragraph(time.at(job.end_us()) + ": Completed <" + (done ? "done" : "exit") + ">" +
                        (term.empty() ? "." : "; " + term + "."),
                    wrapping);
  const auto& usage = job.usage();
  const auto shown = [](std::int64_t kb) {
    return kb < 1024 ? std::string("0M") : size_cell(static_cast<std::uint64_t>(kb) / 1024);
  };
  text +=
      "\nAccounting information about this job:\n"
      "     CPU_T     WAIT     TURNAROUND   STATUS     HOG_FACTOR    MEM    SWAP\n";
  return text + right(fixed(times.cpu, 2), 10) + right(fixed(times.wait, 0), 9) +
         right(fixed(times.turnaround, 0), 15) + right(done ? "done" : "exit", 9) +
         right(fixed(quotient(times.cpu, times.turnaround), 4), 15) + right(shown(usage.max_memory_kb()), 7) +
         right(shown(usage.max_swap_kb()), 8) + "\n" + rule() + "\n";
}

std::string account_record(const Finish& finish, const ShowTime& time) {
  const auto& job = finish.record();
  const auto& asked = finish.asked();
  const Times times = times_of(finish);
  const auto date = [&time](std::int64_t us) { return us > 0 ? time.at(us) : "-"; };
  const auto megabytes = [](std::int64_t kb) { return std::to_string(kb / 1024); };
  const std::string hosts = exec_host_words(job, ":");
  return json_record({{"JOBID", text(key_of(job.key()))},
                      {"USER", asked.user()},
                      {"PROJECT", asked.project()},
                      {"APPLICATION", asked.application()},
                      {"QUEUE", job.queue()},
                      {"JOB_NAME", shown_name(job, asked)},
                      {"FROM_HOST", from_host_word(job, asked)},
                      {"EXEC_HOST", hosts.empty() ? "-" : hosts},
                      {"STATUS", job.status() == wire::STATUS_DONE ? "done" : "exit"},
                      {"EXIT_REASON", job.status() == wire::STATUS_DONE ? "" : term_words(job.term_reason())},
                      {"SUBMIT_TIME", date(job.submit_us())},
                      {"START_TIME", date(job.start_us())},
                      {"FINISH_TIME", date(job.end_us())},
                      {"CPU_T", fixed(times.cpu, 2)},
                      {"WAIT", fixed(times.wait, 0)},
                      {"TURNAROUND", fixed(times.turnaround, 0)},
                      {"RUN_TIME", fixed(times.run, 0)},
                      {"HOG_FACTOR", fixed(quotient(times.cpu, times.turnaround), 4)},
                      {"MEM", megabytes(job.usage().max_memory_kb())},
                      {"SWAP", megabytes(job.usage().max_swap_kb())}});
}

void AccountSummary::Sum::add(double value, bool first) {
  total += value;
  most = first ? value : std::max(most, value);
  least = first ? value : std::min(least, value);
}

void AccountSummary::add(const Finish& finish) {
  const Times times = times_of(finish);
  const bool first = done_ + exited_ == 0;
  ++(finish.record().status() == wire::STATUS_DONE ? done_ : exited_);
  cpu_.add(times.cpu, first);
  wait_.add(times.wait, first);
  turnaround_.add(times.turnaround, first);
  hog_.add(quotient(times.cpu, times.turnaround), first);
  run_.add(times.run, first);
  // A job that never ran has no expansion factor.
  if (times.run > 0) expansion_.add(times.turnaround / times.run, started_++ == 0);
}

std::string AccountSummary::record() const {
  const double jobs = static_cast<double>(std::max<std::size_t>(1, done_ + exited_));
  const double started = static_cast<double>(std::max<std::size_t>(1, started_));
  JsonRecord record{{"DONE_JOBS", std::to_string(done_)}, {"EXITED_JOBS", std::to_string(exited_)}};
  const auto put = [&record](const std::string& name, const Sum& sum, double count, int digits) {
    record.emplace_back("TOTAL_" + name, fixed(sum.total, digits));
    record.emplace_back("AVERAGE_" + name, fixed(sum.total / count, digits));
    record.emplace_back("MAXIMUM_" + name, fixed(sum.most, digits));
    record.emplace_back("MINIMUM_" + name, fixed(sum.least, digits));
  };
  put("CPU_TIME", cpu_, jobs, 1);
  put("WAIT_TIME", wait_, jobs, 1);
  put("TURNAROUND", turnaround_, jobs, 0);
  put("RUN_TIME", run_, jobs, 0);
  put("HOG_FACTOR", hog_, jobs, 2);
  put("EXPANSION_FACTOR", expansion_, started, 2);
  return json_record(record);
}

std::string AccountSummary::text() const {
  const double jobs = static_cast<double>(std::max<std::size_t>(1, done_ + exited_));
  const auto one = [](double value) { return fixed(value, 1); };
  const auto whole = [](double value) { return fixed(value, 0); };
  std::string text = "SUMMARY:      ( time unit: second ) \n";
  text += pair_line(" Total number of done jobs:", std::to_string(done_),
                    "Total number of exited jobs:", std::to_string(exited_));
  text += pair_line(" Total CPU time consumed:", one(cpu_.total),
                    "Average CPU time consumed:", one(cpu_.total / jobs));
  text +=
      pair_line(" Maximum CPU time of a job:", one(cpu_.most), "Minimum CPU time of a job:", one(cpu_.least));
  text += cell(" Total wait time in queues:", one(wait_.total), 35) + "\n";
  text += cell(" Average wait time in queue:", one(wait_.total / jobs), 35) + "\n";
  text += pair_line(" Maximum wait time in queue:", one(wait_.most),
                    "Minimum wait time in queue:", one(wait_.least));
  text += cell(" Average turnaround time:", whole(turnaround_.total / jobs), 35) + " (seconds/job)\n";
  text += pair_line(" Maximum turnaround time:", whole(turnaround_.most),
                    "Minimum turnaround time:", whole(turnaround_.least));
  text += ratio_line(" Average hog factor of a job:", hog_.total / jobs, " ( cpu time / turnaround time )");
  text += pair_line(" Maximum hog factor of a job:", fixed(hog_.most, 2),
                    "Minimum hog factor of a job:", fixed(hog_.least, 2));
  const double started = static_cast<double>(std::max<std::size_t>(1, started_));
  text += ratio_line(" Average expansion factor of a job:", expansion_.total / started,
                     " ( turnaround time / run time )");
  text += ratio_line(" Maximum expansion factor of a job:", expansion_.most, "");
  text += ratio_line(" Minimum expansion factor of a job:", expansion_.least, "");
  text += pair_line(" Total Run time consumed:", whole(run_.total),
                    "Average Run time consumed:", whole(run_.total / jobs));
  return text + pair_line(" Maximum Run time of a job:", whole(run_.most),
                          "Minimum Run time of a job:", whole(run_.least));
}

}  // namespace rollcall::sched::show
