// EventReader: reads lsb.events and lsb.acct into events, for commands that are given such a file (bhist -f, bacct -f). It reads
// Rollcall's files, and those of LSF 5.1 to 10.1 as far as their fields are documented. Pure: the caller passes the bytes in.
//
// mbatchd does not use it, since it has its store. Facts that lines do not contain (the reason of a kill, the changes of a bmod)
// are missing in the events.
//
//   file    = { line }      line as in event_lines.hpp
//
// A string may contain an end of line, as in some files of LSF: lines that do not begin a record continue the one before. Invalid
// lines are skipped and counted. Records that do not concern a job are ignored, and so are fields after the known ones.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/wire/job.pb.h"

namespace rollcall::sched::events {

// The event of a record; none for a kind that does not concern a job. Errors: "field 4: found x, expected ...".
Result<std::optional<wire::JobEvent>> read_event(const std::vector<std::string>& fields);

class EventReader {
 public:
  using Take = std::function<void(const wire::JobEvent&)>;
  struct PassedOver {
    std::size_t lines = 0;  // number of records
    std::size_t first = 0;  // line number of the first one
    std::string why;        // what is wrong with the first one
  };

  // Reads the next bytes of the file, in pieces of any length; end() must follow the last.
  void read(std::string_view bytes, const Take& take);
  void end(const Take& take);
  const PassedOver& passed_over() const { return passed_; }

 private:
  void take_line(const Take& take);
  void take_record(const Take& take);
  void pass_over(std::string why);

  std::string line_;        // the present line, as far as it was read
  bool too_long_ = false;   // the line exceeds the bound of a record
  std::size_t number_ = 0;  // of the last complete line
  std::string record_;      // the present record; further lines may continue it
  std::size_t begun_ = 0;   // its first line
  bool open_ = false;       // a string of `record_` has not ended
  PassedOver passed_;
};

}  // namespace rollcall::sched::events
