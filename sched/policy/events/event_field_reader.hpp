// EventFieldReader: takes the fields of one record in order; and functions for groups of fields that several kinds of records have.
// For event_reader.cpp and account_reader.cpp alone; event_reader.hpp describes the files.
//
// The first error is kept; fields taken after it are empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/wire/job.pb.h"

namespace rollcall::sched::events::event_words {

class EventFieldReader {
 public:
  explicit EventFieldReader(const std::vector<std::string>& fields) : fields_(fields) {}

  // These fields are required.
  std::string text();
  std::int64_t number();
  std::int32_t small();  // a number within 32 bits
  double real();
  std::int64_t moment_us();  // seconds since 1970, as microseconds
  // Fields that only later releases write: "" and 0 if the record has ended.
  std::string later_text() { return more() ? text() : std::string(); }
  std::int64_t later_number() { return more() ? number() : 0; }

  bool more() const { return at_ < fields_.size(); }
  bool next_is(const char* word) const { return more() && fields_[at_] == word; }
  bool is_number(std::size_t ahead) const;  // the field `ahead` places after the next one
  // Skips `count` fields; false if the record ends before that.
  bool skip(std::size_t count);
  std::size_t left() const { return fields_.size() - at_; }
  const std::optional<std::string>& trouble() const { return trouble_; }
  void fail(const std::string& expected);

 private:
  const std::vector<std::string>& fields_;
  std::size_t at_ = 0;
  std::optional<std::string> trouble_;
};

using ExecHosts = google::protobuf::RepeatedPtrField<wire::ExecHost>;

void take_limits(EventFieldReader& words, wire::Limits& limits);
void take_asked_hosts(EventFieldReader& words, wire::Submission& asked);
void take_hosts(EventFieldReader& words, ExecHosts& hosts);       // "hostA" once for each slot, or "4*hostA"
void take_usage(EventFieldReader& words, wire::JobUsage& usage);  // the 19 fields of lsfRusage
void take_job_name(const std::string& name, std::int32_t index, wire::Submission& asked);
// The bits of event_options.hpp.
void take_option_bits(std::int64_t options, std::int64_t options2, wire::Submission& asked);

// JOB_FINISH, from $4 on.
void take_finish(EventFieldReader& words, wire::JobEvent& event);

}  // namespace rollcall::sched::events::event_words
