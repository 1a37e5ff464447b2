// What stands between the brackets of every section but select. The grammar is at the top of parse.cpp. Each leaves the
// cursor behind the content, and gives false after an error.
#pragma once

#include <optional>
#include <vector>

#include "common/resreq/cursor.hpp"

namespace rollcall::resreq {

bool parse_order(Cursor& in, std::vector<OrderKey>& order);
bool parse_rusage(Cursor& in, std::optional<Rusage>& rusage);
bool parse_span(Cursor& in, std::optional<Span>& span);
bool parse_same(Cursor& in, std::vector<SameKey>& same);
bool parse_compute_units(Cursor& in, std::optional<ComputeUnits>& cu);
bool parse_affinity(Cursor& in, std::optional<Affinity>& affinity);

// One of `known` ("numa", "socket", ...), taken; an error naming them where none stands here.
std::optional<std::string> take_one_of(Cursor& in, const std::vector<std::string_view>& known);

}  // namespace rollcall::resreq
