// stored_events: events as a JobStore keeps them: without their large submissions, but with their numbers. Helpers of its
// implementations; no I/O.
#pragma once

#include <cstdint>

#include "common/wire/job.pb.h"

namespace rollcall::io {

// The number of the event's submission; 0: it has none, or one that is stored nowhere else.
std::uint64_t submission_of(const wire::JobEvent& event);
// Puts the submission back.
void put_asked(wire::JobEvent& event, const wire::Submission& asked);

// Removes the event's submission while it lives: cheaper than a copy of the event without it.
class WithoutAsked {
 public:
  explicit WithoutAsked(wire::JobEvent& event) : event_(event) {
    if (submission_of(event) == 0) return;
    if (event.has_new_job()) asked_ = event.mutable_new_job()->release_asked();
    if (event.has_modify()) asked_ = event.mutable_modify()->release_asked();
    if (event.has_finish()) asked_ = event.mutable_finish()->release_asked();
  }
  WithoutAsked(const WithoutAsked&) = delete;
  WithoutAsked& operator=(const WithoutAsked&) = delete;
  ~WithoutAsked() {
    if (asked_ == nullptr) return;
    if (event_.has_new_job()) event_.mutable_new_job()->set_allocated_asked(asked_);
    if (event_.has_modify()) event_.mutable_modify()->set_allocated_asked(asked_);
    if (event_.has_finish()) event_.mutable_finish()->set_allocated_asked(asked_);
  }

 private:
  wire::JobEvent& event_;
  wire::Submission* asked_ = nullptr;
};

}  // namespace rollcall::io
