// span_file: the hosts of a job on hosts of several clusters, and the keys with which tasks are started there, as its processes find them:
// the file `span` beside its key. Functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/wire/res.pb.h"

namespace rollcall::res {

inline constexpr const char* kSpanFile = "span";
inline constexpr const char* kSpanKeyFile = "key";

struct SpanPlace {
  std::string host;
  std::vector<std::string> addresses;  // numeric
  std::uint16_t port = 0;
  std::string task_key;  // 64 hexadecimal digits; "": no task is started there from this host
  friend bool operator==(const SpanPlace&, const SpanPlace&) = default;
};

// Places without an address are left out.
std::string span_text(const wire::JobSpan& span);
// None: the text is malformed.
std::optional<std::vector<SpanPlace>> read_span(std::string_view text);
// The span of an order; nullptr: all hosts of its job are of one cluster.
const wire::JobSpan* span_of(const wire::JobOrder& order);
// The key as its file has it: 64 hexadecimal digits and a newline.
std::string span_key_text(const wire::JobSpan& span);

}  // namespace rollcall::res
