// Reading lsb.events and lsb.acct: lines into events, for the commands that are given such a file (bhist -f, bacct -f). Ours,
// and those of LSF 5.1 to 10.1 as far as documents give their fields. Pure: the bytes are the caller's.
//
// Nobody's memory: mbatchd has its store. What a line does not say (a kill's reason, what bmod changed) is not there.
//
//   file    = { line }      line as in event_lines.hpp
//
// A record whose string was broken by an end of line goes on in the lines that do not begin a record: LSF's own files have
// such. A line that cannot be meant is passed over and counted; a record of a kind that says nothing of a job is passed over
// without a word, and so is whatever follows the fields that are known.
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

// The event of a record; nothing for a kind that tells of no job. Errors: "field 4: found x, expected ...".
Result<std::optional<wire::JobEvent>> read_event(const std::vector<std::string>& fields);

class EventReader {
 public:
  using Take = std::function<void(const wire::JobEvent&)>;
  struct PassedOver {
    std::size_t lines = 0;  // records, rather
    std::size_t first = 0;  // the number of the first line
    std::string why;        // of that one
  };

  // The next bytes of the file, in pieces of any length; end() after the last.
  void read(std::string_view bytes, const Take& take);
  void end(const Take& take);
  const PassedOver& passed_over() const { return passed_; }

 private:
  void take_line(const Take& take);
  void take_record(const Take& take);
  void pass_over(std::string why);

  std::string line_;        // what has come of the present line
  bool too_long_ = false;   // it has more bytes than a record may
  std::size_t number_ = 0;  // of lines that are complete
  std::string record_;      // waits for the lines that go on with it
  std::size_t begun_ = 0;   // its first line
  bool open_ = false;       // a string of it has not ended
  PassedOver passed_;
};

}  // namespace rollcall::sched::events
