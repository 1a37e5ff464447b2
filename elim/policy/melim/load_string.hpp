// LoadString: parses the load update string that an elim writes to its standard output, and checks it against the names that this
// host's elims may report. A function; the lines come from LineCutter.
//
//   line   = [ blanks ] [ string ] [ blanks ]           an empty line is ignored
//   string = count { blanks name blanks value }         as many pairs as `count` says
//   blanks = ( " " | TAB | CR | VT | FF ) ...
//   count  = 1 to 6 digits
//   name   = token                                      of an index, as lsf.shared or LSF itself has it
//   value  = number | word
//   number = [ "+" | "-" ] ( digits [ "." [ digits ] ] | "." digits ) [ ( "e" | "E" ) [ "+" | "-" ] digits ]
//   word   = token of at most kWordLimit bytes, UTF-8 without control characters; for String resources
//   token  = any bytes but blanks and newline
//
// "0" alone is a string without pairs: the elim has no values yet. A string whose count is malformed or does not match is refused
// as a whole, since it is unknown which words are names. An invalid pair is skipped; the others count. Of a name given twice the
// last value counts.
// Rules: "Administering Platform LSF", External Load Indices, elim output; docs/decisions/0017.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "elim/policy/melim/elim_names.hpp"

namespace rollcall::melim {

inline constexpr std::size_t kLineLimit = 64 * 1024;  // bytes of one load update string
inline constexpr std::size_t kWordLimit = 1024;       // bytes of a String resource's value
inline constexpr std::size_t kFaultsOfAString = 16;   // further ones are not reported one by one
inline constexpr std::size_t kLineShown = 200;        // bytes of an offending line in messages

struct Reading {
  std::string name;
  std::variant<float, std::string> value;
  friend bool operator==(const Reading&, const Reading&) = default;
};

enum class FaultKind {
  too_long,      // the line is longer than kLineLimit
  no_count,      // it does not begin with a count
  wrong_count,   // it has other words than the count says
  unknown_name,  // no index that this host's elims report
  alias,         // of a built-in index: its formal name is to be used
  not_a_number,
  beyond_limits,  // larger than INFINIT_LOAD, or smaller than -INFINIT_LOAD
  beyond_most,    // an override that is negative or above its largest possible value
  bad_word,       // too long, or not text
};

struct Fault {
  FaultKind kind;
  std::string name;  // of the index; empty where the fault is the line's
  std::string text;  // "found X, expected Y", one line
};

struct LoadString {
  std::vector<Reading> readings;
  std::vector<Fault> faults;
  bool refused = false;  // the whole line; then there are no readings, and one fault
};

LoadString read_load_string(std::string_view line, const ElimNames& names);

// A line that LineCutter has cut off.
LoadString refuse_long_line();

}  // namespace rollcall::melim
