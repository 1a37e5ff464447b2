// What bacct prints: of finished jobs what they have used, all together and (-l) each. Pure.
#pragma once

#include <string>
#include <vector>

#include "sched/policy/show/show_text.hpp"

namespace rollcall::sched::show {

using Finish = wire::JobEvent::Finish;

// "Accounting information about jobs that are:" and which those are.
std::string accounts_preface(const wire::AskFinished& ask, const std::string& caller, const ShowTime& time);
// bacct -l: one job, with the line behind it.
std::string account_block(const Finish& finish, Wrapping wrapping, const ShowTime& time);

// bacct -json: the job and the table of its block, times in seconds, sizes in MB.
std::string account_record(const Finish& finish, const ShowTime& time);

// Adds up; then the table SUMMARY.
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
