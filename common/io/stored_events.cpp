#include "common/io/stored_events.hpp"

namespace rollcall::io {

std::uint64_t submission_of(const wire::JobEvent& event) {
  switch (event.what_case()) {
    case wire::JobEvent::kNewJob:
      return event.new_job().submission();
    case wire::JobEvent::kModify:
      return event.modify().submission();
    case wire::JobEvent::kFinish:
      return event.finish().record().submission();
    default:
      return 0;
  }
}

void put_asked(wire::JobEvent& event, const wire::Submission& asked) {
  if (event.has_new_job()) *event.mutable_new_job()->mutable_asked() = asked;
  if (event.has_modify()) *event.mutable_modify()->mutable_asked() = asked;
  if (event.has_finish()) *event.mutable_finish()->mutable_asked() = asked;
}

}  // namespace rollcall::io
