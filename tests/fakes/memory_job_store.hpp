// MemoryDisk: what a JobStore keeps, in memory, with disks that fail when they are told to: the second implementation of the
// interface (common/io/job_store.hpp). Tests of the store run on both; tests of what uses a store have commits that fail here.
//
// The disk outlives its stores: closing one and opening another is a restart of mbatchd.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "common/io/job_store.hpp"

namespace rollcall::io::test {

class MemoryDisk {
 public:
  // An error where a store of it is open.
  StoreResult<std::unique_ptr<JobStore>> open();
  // The next commits and steps of forgetting fail so, and leave nothing.
  bool fails_next() const { return failures_ > 0; }
  void fail_next(int times, StoreError::Kind kind) {
    failures_ = times;
    failure_ = kind;
  }

 private:
  friend class MemoryJobStore;
  struct Row {
    std::int64_t at_us = 0;
    std::string answer;
  };
  std::uint64_t term_ = 0;
  std::uint64_t last_event_ = 0;
  std::array<std::int64_t, kStoreNumbers> numbers_{};
  std::map<std::uint64_t, std::shared_ptr<const wire::Submission>> submissions_;
  std::map<std::uint64_t, std::string> payloads_;
  std::map<std::pair<int, int>, wire::JobRecord> jobs_;
  std::map<std::pair<std::string, std::string>, std::string> controls_;
  std::map<std::uint64_t, wire::JobEvent> events_;  // without their submissions
  std::map<std::string, Row> tokens_;
  bool open_ = false;
  int failures_ = 0;
  StoreError::Kind failure_ = StoreError::Kind::failed;
};

}  // namespace rollcall::io::test
