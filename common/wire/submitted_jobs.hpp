// submitted_jobs: counts the jobs that a serialized BatchRequest submits, without parsing it: an empty Submission has two bytes
// on the wire, but takes about a kilobyte as a message. Pure.
#pragma once

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <cstdint>
#include <string_view>

#include "common/wire/batch.pb.h"

namespace rollcall::wire {

// Malformed bytes: counts the jobs before the fault. Parsing them fails anyway.
inline std::uint64_t submitted_jobs(std::string_view request) {
  using google::protobuf::internal::WireFormatLite;
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(request.data()),
                                            static_cast<int>(request.size()));
  // Calls `each` at every length-delimited field `number` of the message at which `in` stands; `each` consumes its content.
  const auto walk = [&in](int number, const auto& each) {
    const std::uint32_t wanted = WireFormatLite::MakeTag(number, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
    while (const std::uint32_t tag = in.ReadTag())
      if (tag == wanted ? !each() : !WireFormatLite::SkipField(&in, tag)) return false;
    return true;
  };
  std::uint64_t jobs = 0;
  int size = 0;
  // Parsing merges several Submit fields into one.
  walk(BatchRequest::kSubmitFieldNumber, [&] {
    if (!in.ReadVarintSizeAsInt(&size)) return false;
    const auto limit = in.PushLimit(size);
    const bool good = walk(Submit::kJobsFieldNumber, [&] {
      ++jobs;
      return in.ReadVarintSizeAsInt(&size) && in.Skip(size);
    });
    in.PopLimit(limit);
    return good;
  });
  return jobs;
}

}  // namespace rollcall::wire
