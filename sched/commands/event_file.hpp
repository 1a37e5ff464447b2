// -f FILE of bhist and bacct: the events of a file as lsb.events or lsb.acct are, read as the user who named it. What its
// records mean is policy/event_reader.hpp's.
#pragma once

#include <string>

#include "common/io/command.hpp"
#include "sched/policy/events/event_reader.hpp"
#include "sched/policy/events/history_selection.hpp"

namespace rollcall::sched {

// Hands the events over one by one; gives the invalid lines. Errors: the file cannot be read.
Result<events::EventReader::PassedOver> read_event_file(const std::string& path,
                                                        const events::EventReader::Take& take);
// Prints the result: 0, or kFailed if the file could not be read. Skipped lines are reported in one line on standard error, and
// are no failure.
int tell_reading(io::Stage& stage, const std::string& path,
                 const Result<events::EventReader::PassedOver>& read);

// Who asks, where no mbatchd finds it out.
Identity own_identity();

}  // namespace rollcall::sched
