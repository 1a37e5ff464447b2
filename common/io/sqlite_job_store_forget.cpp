#include "common/io/sqlite_job_store_forget.hpp"

#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/io/stored_events.hpp"

namespace rollcall::io::rows {
namespace {

// An event and its job's record are made at the same moment, perhaps by two calls of the clock.
constexpr std::int64_t kSameMoment_us = 1'000'000;

struct OldEvent {
  long long seq = 0, at = 0, id = 0;
  wire::JobEvent event;
};

std::vector<OldEvent> events_after(soci::session& sql, std::uint64_t after, std::uint64_t until,
                                   std::size_t most) {
  std::vector<OldEvent> found;
  OldEvent one;
  Body body(sql);
  const auto from = static_cast<long long>(after), to = static_cast<long long>(until);
  const auto limit = static_cast<long long>(most);
  soci::statement rows = (sql.prepare << "select seq, at_us, id, body from events where seq > :after and "
                                         "seq <= :until order by seq limit :most",
                          soci::use(from), soci::use(to), soci::use(limit), soci::into(one.seq),
                          soci::into(one.at), soci::into(one.id), soci::into(body.blob));
  rows.execute();
  // A malformed event has no known submission: it is deleted too.
  while (rows.fetch()) {
    if (!one.event.ParseFromString(body.bytes())) one.event.Clear();
    found.push_back(one);
  }
  return found;
}

// Old jobs are deleted before: a job that is there needs its events. But ids are used again, so older events of the same id may
// belong to another job.
bool needs_event(soci::session& sql, const OldEvent& event) {
  if (event.id == 0) return false;
  Body body(sql);
  soci::statement rows = (sql.prepare << "select record from jobs where id = :id limit 1",
                          soci::use(event.id), soci::into(body.blob));
  rows.execute();
  if (!rows.fetch()) return false;
  wire::JobRecord record;
  return !record.ParseFromString(body.bytes()) || event.at + kSameMoment_us >= record.submit_us();
}

// True if a job of this id, or its first remaining event, names the submission.
bool is_named(soci::session& sql, long long id, std::uint64_t number) {
  const auto wanted = static_cast<long long>(number);
  int jobs = 0;
  sql << "select count(*) from (select 1 from jobs where id = :id and submission = :number limit 1)",
      soci::use(id), soci::use(wanted), soci::into(jobs);
  if (jobs > 0) return true;
  Body body(sql);
  soci::statement rows = (sql.prepare << "select body from events where id = :id and kind in (3, 13, 14) "
                                         "order by seq limit 1",
                          soci::use(id), soci::into(body.blob));
  rows.execute();
  wire::JobEvent event;
  return rows.fetch() && event.ParseFromString(body.bytes()) && submission_of(event) == number;
}
static_assert(wire::JobEvent::kNewJob == 3 && wire::JobEvent::kModify == 13 && wire::JobEvent::kFinish == 14);

}  // namespace

std::size_t StoreForgetting::forget_jobs(soci::session& sql, const Forget& what) {
  std::vector<std::pair<long long, long long>> keys;
  long long id = 0, index = 0;
  const auto most = static_cast<long long>(what.most);
  const long long before = what.ended_before_us;
  soci::statement rows =
      (sql.prepare << "select id, idx from jobs where live = 0 and end_us < :before order by "
                      "end_us limit :most",
       soci::use(before), soci::use(most), soci::into(id), soci::into(index));
  rows.execute();
  while (rows.fetch()) keys.emplace_back(id, index);
  for (const auto& key : keys)
    sql << "delete from jobs where id = :id and idx = :idx", soci::use(key.first), soci::use(key.second);
  return keys.size();
}

void StoreForgetting::forget_events(soci::session& sql, const Forget& what, Forgotten& forgotten) {
  std::set<std::pair<long long, std::uint64_t>> named;
  const auto page = events_after(sql, after_, what.events_until, what.most);
  forgotten.more = page.size() == what.most;
  for (const auto& one : page) {
    if (one.at >= what.ended_before_us) {
      forgotten.more = false;  // events are in order of time, unless the clock was changed
      break;
    }
    after_ = static_cast<std::uint64_t>(one.seq);
    if (needs_event(sql, one)) continue;
    sql << "delete from events where seq = :seq", soci::use(one.seq);
    ++forgotten.events;
    if (const auto number = submission_of(one.event); number != 0) named.emplace(one.id, number);
  }
  for (const auto& [id, number] : named) {
    if (is_named(sql, id, number)) continue;
    const auto row = static_cast<long long>(number);
    sql << "delete from submissions where number = :number", soci::use(row);
    ++forgotten.submissions;
  }
}

Forgotten StoreForgetting::step(soci::session& sql, const Forget& what) {
  Forgotten forgotten;
  forgotten.jobs = forget_jobs(sql, what);
  if (forgotten.jobs == what.most)
    forgotten.more = true;
  else
    forget_events(sql, what, forgotten);
  if (!forgotten.more) again();
  return forgotten;
}

}  // namespace rollcall::io::rows
