// Job: one job in mbatchd's memory: its submission, its record and the state of its start. A value.
//
// Its rules are in job_life.hpp, the collection of all jobs is the Book (book.hpp). Elements of an array share the submission.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/wall_time.hpp"
#include "common/wire/job.pb.h"

namespace rollcall::sched {

// "12", "12[3]". Index 0: a job that is no element, or the array as a whole.
struct JobKey {
  std::int32_t id = 0;
  std::int32_t index = 0;
  friend auto operator<=>(const JobKey&, const JobKey&) = default;
};
inline JobKey key_of(const wire::JobKey& key) { return {key.id(), key.index()}; }
inline void set_key(wire::JobKey& to, JobKey key) {
  to.set_id(key.id);
  to.set_index(key.index);
}
inline std::string text(JobKey key) {
  return std::to_string(key.id) + (key.index == 0 ? "" : "[" + std::to_string(key.index) + "]");
}

// How far the start of the present attempt has come. In memory alone: after a restart mbatchd takes every go-ahead as given until
// the first host reports otherwise.
struct Launch {
  bool go_given = true;                // false: no part of the attempt runs before mbatchd's OrderGo
  std::int64_t since_us = 0;           // if go_given is false: when its hosts were ordered to prepare it
  std::vector<std::string> prepared;   // if go_given is false: hosts that have the order on disk
  std::vector<std::string> gone = {};  // of a part that is to end: hosts where nothing of it is left
  std::string awaits =
      {};  // if go_given is false: orders are kept back until it is known where this host is reached

  // It says more than what holds of an attempt of which nothing is known.
  bool is_known() const { return !go_given || !gone.empty(); }
};

struct Job {
  std::shared_ptr<const wire::Submission> asked;
  wire::JobRecord record;
  Launch launch;

  JobKey key() const { return key_of(record.key()); }
  wire::JobStatus status() const { return record.status(); }
};

// PEND, PSUSP, WAIT: the job has no hosts.
inline bool pending(wire::JobStatus s) {
  return s == wire::STATUS_PEND || s == wire::STATUS_PSUSP || s == wire::STATUS_WAIT;
}
// RUN, SSUSP, USUSP, UNKWN, ZOMBI, PROV: the job has hosts.
inline bool placed(wire::JobStatus s) {
  return s == wire::STATUS_RUN || s == wire::STATUS_SSUSP || s == wire::STATUS_USUSP ||
         s == wire::STATUS_UNKWN || s == wire::STATUS_ZOMBI || s == wire::STATUS_PROV;
}
// The status that commands show: a job pends until its first host, or the cluster that it was forwarded to, reports that it begins.
inline wire::JobStatus shown_status(const wire::JobRecord& record) {
  if (!record.starting()) return record.status();
  if (record.status() == wire::STATUS_RUN) return wire::STATUS_PEND;
  const bool held_elsewhere = record.has_forwarded() && record.status() == wire::STATUS_USUSP;
  return held_elsewhere ? wire::STATUS_PSUSP : record.status();
}
// The job is in another cluster, which runs it or will.
inline bool is_elsewhere(const wire::JobRecord& record) {
  return record.has_forwarded() && placed(record.status());
}
// The job of another cluster, which has placed it on slots that a lease gives it here: that cluster alone starts it again.
inline bool on_lent_slots(const wire::JobRecord& record) { return record.from().lease() != 0; }
// The part here of a job on hosts of several clusters, on lent slots: its first host is another cluster's, and each host here is one where
// tasks may be started.
inline bool is_part(const wire::JobRecord& record) { return record.from().part(); }
// It is in another cluster and has not begun there: shown as pending.
inline bool waits_elsewhere(const wire::JobRecord& record) {
  return is_elsewhere(record) && pending(shown_status(record));
}
inline bool finished(wire::JobStatus s) { return s == wire::STATUS_DONE || s == wire::STATUS_EXIT; }

}  // namespace rollcall::sched

template <>
struct std::hash<rollcall::sched::JobKey> {
  std::size_t operator()(const rollcall::sched::JobKey& key) const noexcept {
    return std::hash<std::uint64_t>()(static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.id)) << 32 |
                                      static_cast<std::uint32_t>(key.index));
  }
};
