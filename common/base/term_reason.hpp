// TermReason: why LSF ended a job, by LSF's own numbers (exitInfo of lsb.acct; bacct(1), "Termination reasons displayed by
// bacct"). A table: mbatchd records the number, commands and the mail of a job show its words.
#pragma once

#include <cstdint>
#include <string_view>

namespace rollcall {

enum TermReason : std::int32_t {
  TERM_UNKNOWN = 0,
  TERM_PREEMPT = 1,
  TERM_WINDOW = 2,
  TERM_LOAD = 3,
  TERM_OTHER = 4,
  TERM_RUNLIMIT = 5,
  TERM_DEADLINE = 6,
  TERM_PROCESSLIMIT = 7,
  TERM_FORCE_OWNER = 8,
  TERM_FORCE_ADMIN = 9,
  TERM_REQUEUE_OWNER = 10,
  TERM_REQUEUE_ADMIN = 11,
  TERM_CPULIMIT = 12,
  TERM_OWNER = 14,
  TERM_ADMIN = 15,
  TERM_MEMLIMIT = 16,
  TERM_EXTERNAL_SIGNAL = 17,
  TERM_ZOMBIE = 19,
  TERM_SWAP = 20,
  TERM_THREADLIMIT = 21,
  TERM_CWD_NOTEXIST = 25,
  TERM_REMOVE_HUNG_JOB = 26,
  TERM_ORPHAN_SYSTEM = 27,
  TERM_PRE_EXEC_FAIL = 28,
  TERM_MC_RECALL = 30,
};
// "TERM_OWNER"; "TERM_UNKNOWN" for a number that has none.
std::string_view term_keyword(std::int32_t reason);
// "job killed by owner"; "" for TERM_UNKNOWN.
std::string_view term_sentence(std::int32_t reason);

}  // namespace rollcall
