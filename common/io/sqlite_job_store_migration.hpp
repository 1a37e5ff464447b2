// sqlite_job_store_migration: brings a store from schema 1 to schema 2, where payloads have a table of their own. Private to
// sqlite_job_store.cpp.
#pragma once

#include <soci/soci.h>

namespace rollcall::io::rows {

// Payloads of jobs that have left mbatchd's memory are dropped. Each transaction has some hundred rows: if the opener dies, the
// next one goes on. Throws what SOCI throws, and std::runtime_error for a malformed row.
void move_payloads(soci::session& sql);

}  // namespace rollcall::io::rows
