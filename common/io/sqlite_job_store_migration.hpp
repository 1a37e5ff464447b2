// Brings a store of schema 1 to schema 2, where the payloads of submissions have a table of their own. Private to sqlite_job_store.cpp.
#pragma once

#include <soci/soci.h>

namespace rollcall::io::rows {

// Payloads of jobs that have left mbatchd's memory are dropped. In transactions of some hundred rows each: an opener that dies
// meanwhile leaves a store that the next one takes up. Throws what SOCI throws, and std::runtime_error for a malformed row.
void move_payloads(soci::session& sql);

}  // namespace rollcall::io::rows
