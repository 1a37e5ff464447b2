// What lsresreq prints: a requirement as an indented tree, and what each host gave for it. Pure text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/resreq/evaluate.hpp"

namespace rollcall::resreq {

// The parsed tree, two blanks for each level, a newline behind every line. "" for a requirement that says nothing.
std::string tree(const ResReq& resreq);

// One row for each host, in the order given: "hostA  yes", "hostB  no   mem > 500: 380; linux: no". Names in one column, a
// newline behind every row.
struct HostAnswer {
  std::string host;
  std::vector<Part> parts;  // BoundSelect::parts; none: nothing is asked
};
std::string rows(const std::vector<HostAnswer>& answers);

// A number as a person reads it: "380", "0.38", "-" where it is not known.
std::string number_text(double value);

struct BoundPart;
// What the host has of what the part asks for.
std::string gave(const BoundPart& part, const HostView& host);

}  // namespace rollcall::resreq
