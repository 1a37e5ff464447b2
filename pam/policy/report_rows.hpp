// The rows of pam's tables: which tasks stand in one, and how its first words are written. Internal to the tables.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pam/policy/roll.hpp"

namespace rollcall::pam {

// Tasks in the order of their ids, `ids` as table_ids() gives them.
std::vector<Tid> order_of_rows(const std::vector<std::uint32_t>& ids);

struct ReportRow {
  std::string tid;    // "00003", or "00003-00007"
  std::string hosts;  // one, or "n1-n4"
  std::string
      status;  // "Done", "Exit (3)", "Signal (11 SEGV)", "Killed after a failure", "Not started", "Lost": decision 0006
  std::vector<Tid> tasks;  // at least one; of a folded row all have the same command and ended alike
};

// Calls `take` with each row in turn, so that the rows of a million tasks need not exist at once. fold: equal neighbours become
// one row.
void for_each_row(const Roll& roll, bool fold, const std::function<void(const ReportRow&)>& take);

// Control bytes of a host name or a command would tear a table.
std::string one_line(std::string text);

}  // namespace rollcall::pam
