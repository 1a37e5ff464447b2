// The payload of a submission: script, environment, spooled input and the output of esubs. Only the host that runs the job needs
// them, and they are nearly all of a submission's bytes; so mbatchd keeps them in its store and has their places in memory.
//
// Each of them is one row of the store, a Submission with that field alone, and the submission names the row. Elements of an
// array share the rows, and so do the submissions that bmod makes of one another. Functions over values; the rows are JobStore's.
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

// Moves the payload out of the submission of this number, which then names the rows. Fields without a payload stay as they are.
std::vector<PayloadRow> take_payload(Submission& asked, std::uint64_t submission);

// Rows that the submission names.
std::vector<std::uint64_t> payload_rows(const Submission& asked);
bool names_payload(const Submission& asked);
void forget_payload_rows(Submission& asked);

// Puts a row back into the submission that names it. False: the row is malformed.
bool put_payload(Submission& asked, const std::string& body);

// Bytes of the submission with its payload, wherever that is.
std::uint64_t whole_bytes(const Submission& asked);

}  // namespace rollcall::wire
