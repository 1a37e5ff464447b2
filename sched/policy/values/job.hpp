// Job: one job as mbatchd has it in memory: what was asked, and what has become of it. A value.
//
// Not its rules (job_life.hpp) and not the collection (book.hpp). What is asked is shared by the elements of an array.
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

// As people write it: "12", "12[3]". Index 0: no array, or the whole of it.
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

// How the present attempt of a job starts on its hosts. In memory alone: a mbatchd that starts again takes every go-ahead for
// given until the first host says otherwise.
struct Launch {
  bool go_given = true;               // false: nothing of the attempt runs anywhere before we say so
  std::int64_t since_us = 0;          // when its hosts were ordered to prepare it; where go_given is false
  std::vector<std::string> prepared;  // hosts that have the order on disk; the same
};

struct Job {
  std::shared_ptr<const wire::Submission> asked;
  wire::JobRecord record;
  Launch launch;

  JobKey key() const { return key_of(record.key()); }
  wire::JobStatus status() const { return record.status(); }
};

// PEND, PSUSP, WAIT, PROV: it has not been given to a host, or was given back.
inline bool pending(wire::JobStatus s) {
  return s == wire::STATUS_PEND || s == wire::STATUS_PSUSP || s == wire::STATUS_WAIT;
}
// It has hosts: RUN, SSUSP, USUSP, UNKWN, ZOMBI.
inline bool placed(wire::JobStatus s) {
  return s == wire::STATUS_RUN || s == wire::STATUS_SSUSP || s == wire::STATUS_USUSP ||
         s == wire::STATUS_UNKWN || s == wire::STATUS_ZOMBI || s == wire::STATUS_PROV;
}
// What people are shown: a job runs when its first host has said that it begins, and pends until then.
inline wire::JobStatus shown_status(const wire::JobRecord& record) {
  const bool runs_nowhere_yet = record.starting() && record.status() == wire::STATUS_RUN;
  return runs_nowhere_yet ? wire::STATUS_PEND : record.status();
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
