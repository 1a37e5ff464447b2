#include "common/io/job_store.hpp"

#include <stdexcept>

namespace rollcall::io {

void throw_exception_from_error(const StoreError& error, const boost::source_location&) {
  throw std::runtime_error(error.text);
}

bool StoreBatch::empty() const {
  for (const auto& number : numbers)
    if (number) return false;
  return submissions.empty() && payloads.empty() && drop_payloads.empty() && jobs.empty() &&
         controls.empty() && events.empty() && tokens.empty() && !forget_tokens_before;
}

}  // namespace rollcall::io
