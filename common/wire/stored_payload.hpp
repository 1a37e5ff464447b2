// stored_payload: the payload of a submission: script, environment, spooled input and the output of esubs. It is nearly all of a
// submission's bytes, and only the host that runs the job needs it; so mbatchd has it in its store, and in memory only its rows'
// numbers.
//
// Each part is one row of the store, a Submission with that field alone, and the submission names the row. Elements of an array
// share the rows, and so do submissions that bmod makes from one another. Functions over values; JobStore owns the rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/wire/job.pb.h"

namespace rollcall::wire {

struct PayloadRow {
  std::uint64_t number = 0;
  std::string body;
};

// Moves the payload out of the submission with this number, which then names the rows. Fields without a payload stay as they are.
std::vector<PayloadRow> take_payload(Submission& asked, std::uint64_t submission);

// Rows that the submission names.
std::vector<std::uint64_t> payload_rows(const Submission& asked);
bool names_payload(const Submission& asked);
void forget_payload_rows(Submission& asked);

// Puts a row back into the submission that names it. False: the row is malformed.
bool put_payload(Submission& asked, const std::string& body);

// The size of the submission with its payload, wherever that is.
std::uint64_t whole_bytes(const Submission& asked);

}  // namespace rollcall::wire
