// SqliteJobStore: mbatchd's store in one database file, LSB_SHAREDIR/CLUSTER/jobs.db (SQLite, on a local disk), with a lock
// beside it. All SQL statements of the product are in sqlite_job_store.cpp and sqlite_job_store_rows.hpp.
//
// tables: meta(name, value)  submissions(number, body)  payloads(number, body)  jobs(id, idx, submission, live, end_us, record)
//         controls(kind, name, value)  events(seq, at_us, id, idx, kind, body)  tokens(token, at_us, answer)
// A submission's script and environment are rows of `payloads`, which the submission names; they go with the last job that may
// need them. A store of an older release has them in `submissions`; opening it migrates it. A job that has left mbatchd's memory
// stays in `jobs` with live = 0. Events of the kinds with a Submission are stored without it: they have its number, and queries
// put it back.
#pragma once

#include <memory>
#include <string>

#include "common/io/job_store.hpp"

namespace rollcall::io {

// Makes the file if it does not exist (mode 0600). An error where another user may write the file or its directory, where it is
// of another program or a newer version, or where another process has it open.
StoreResult<std::unique_ptr<JobStore>> open_sqlite_job_store(const std::string& directory);

}  // namespace rollcall::io
