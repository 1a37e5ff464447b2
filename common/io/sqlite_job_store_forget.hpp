// StoreForgetting: deletes old rows from the store's tables, a few at a time. Used by SqliteJobStore alone.
//
// A pass goes first over jobs that are not live, oldest first, then over events by number. An event stays
//   * as long as its job is in `jobs`: one that ended within the age, or has not ended;
//   * if its number is beyond what is known to be in the event files.
// A submission goes with the last event that names it. SQLite uses freed pages again; the file keeps its size.
#pragma once

#include <cstdint>

#include "common/io/job_store.hpp"
#include "common/io/sqlite_job_store_rows.hpp"

namespace rollcall::io::rows {

class StoreForgetting {
 public:
  // Inside the caller's transaction. Throws what SOCI throws; the caller then calls again().
  Forgotten step(soci::session& sql, const Forget& what);
  // The next step begins a new pass.
  void again() { after_ = 0; }

 private:
  std::size_t forget_jobs(soci::session& sql, const Forget& what);
  void forget_events(soci::session& sql, const Forget& what, Forgotten& forgotten);

  std::uint64_t after_ = 0;  // events looked at in this pass
};

}  // namespace rollcall::io::rows
