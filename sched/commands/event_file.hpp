// -f FILE of bhist and bacct: the events of a file as lsb.events or lsb.acct are, read as the user who named it. What its
// records mean is policy/event_reader.hpp's.
#pragma once

#include <string>

#include "common/io/command.hpp"
#include "sched/policy/events/event_reader.hpp"
#include "sched/policy/events/history_selection.hpp"

namespace rollcall::sched {

// Hands the events over one by one; gives what could not be meant. Errors: the file cannot be read.
Result<events::EventReader::PassedOver> read_event_file(const std::string& path,
                                                        const events::EventReader::Take& take);
// What came of it: 0, or kFailed where the file could not be read. What was passed over is told in one line on standard error,
// and is no failure.
int tell_reading(io::Stage& stage, const std::string& path,
                 const Result<events::EventReader::PassedOver>& read);

// Who asks, where no mbatchd finds it out.
Identity own_identity();

}  // namespace rollcall::sched
