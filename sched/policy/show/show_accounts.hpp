// show_accounts: the output of bacct: what finished jobs have used, in sum and (-l) each. Pure.
#pragma once

#include <string>
#include <vector>

#include "sched/policy/show/show_text.hpp"

namespace rollcall::sched::show {

using Finish = wire::JobEvent::Finish;

// "Accounting information about jobs that are:" and the lines that say which jobs.
std::string accounts_preface(const wire::AskFinished& ask, const std::string& caller, const ShowTime& time);
// bacct -l: one job, with the separator line after it.
std::string account_block(const Finish& finish, Wrapping wrapping, const ShowTime& time);

// bacct -json: the job and the values of its table, times in seconds, sizes in MB.
std::string account_record(const Finish& finish, const ShowTime& time);

// Sums over jobs, for the table SUMMARY.
class AccountSummary {
 public:
  void add(const Finish& finish);
  std::string text() const;
  std::string record() const;  // bacct -b -json

 private:
  struct Sum {
    double total = 0, most = 0, least = 0;
    void add(double value, bool first);
  };
  std::size_t done_ = 0, exited_ = 0, started_ = 0;
  Sum cpu_, wait_, turnaround_, hog_, expansion_, run_;
};

}  // namespace rollcall::sched::show
