// mbatchd's store in one database file, LSB_SHAREDIR/CLUSTER/jobs.db (SQLite, on a local disk), with a lock beside it. Every SQL
// statement of the product is in sqlite_job_store.cpp and sqlite_job_store_rows.hpp and nowhere else.
//
// tables: meta(name, value)  submissions(number, body)  payloads(number, body)  jobs(id, idx, submission, live, end_us, record)
//         controls(kind, name, value)  events(seq, at_us, id, idx, kind, body)  tokens(token, at_us, answer)
// A submission's script and environment are rows of `payloads`, which the submission names; they go with the last job that may
// need them. A store of an older release, which has them in `submissions`, is changed by opening it.
// A job that has left mbatchd's memory stays in `jobs` with live = 0. Events of the kinds that hold a Submission are kept without it:
// they name its number, and the queries put it back.
#pragma once

#include <memory>
#include <string>

#include "common/io/job_store.hpp"

namespace rollcall::io {

// Makes the file where there is none (mode 0600). An error where the file or its directory is not our user's alone to
// write, is of another program or of a newer version, or where another process has it open.
StoreResult<std::unique_ptr<JobStore>> open_sqlite_job_store(const std::string& directory);

}  // namespace rollcall::io
