// What lsload and lsmon print: tables and JSON of an answer of the master. Pure.
//
// The columns are those of "IBM Spectrum LSF 10.1"; programs split them on blanks with the header's words as keys, so a
// header never changes. Our own additions (ages, elims) are in the JSON alone, but for the age of borrowed hosts' values.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/wire/load.pb.h"

namespace rollcall::elim::show {

using Loads = wire::Reply::Loads;

struct LoadTable {
  enum class Form {
    narrow,   // lsload: host names are cut at 15; no io, no site indices
    wide,     // lsload -w
    complete  // lsload -l: with io and the site's indices
  };
  Form form = Form::narrow;
  std::vector<std::string> indices;  // lsload -I a:b: only these, by formal name; empty: those of `form`
  bool colour = false;               // of status words and of what is beyond its threshold, for a terminal
  bool age = false;                  // a last column: seconds since the oldest of the values was measured
};

// Of the index at `place` in Loads.names; what the answer does not say is a numeric one of the site's.
std::uint32_t type_of(const Loads& loads, int place);
bool is_built_in(const Loads& loads, int place);

// The status word as lsload shows it: "ok", "-ok", "busy", "lockU", "lockW", "lockUW", "lockM", "unavail".
std::string status_word(const wire::Reply::Status& status);

// Errors: an index of `table.indices` that the answer does not have.
Result<std::string> load_table(const Loads& loads, const LoadTable& table);

// Adds the hosts of another answer, whose indices may be others or in another order: those that `to` does not name are left out.
void append_loads(Loads& to, const Loads& more);

// lsload -o FORMAT (common/base/output_format.hpp): its fields are host_name, status, every index of the answer, and age (seconds, of
// the oldest value), unless an index has that name.
Result<std::string> load_fields(const Loads& loads, const std::string& format);

// Everything that is known, as JSON: {"COMMAND":`command`,"HOSTS":n,"RECORDS":[...]}; unknown values are null.
std::string load_json(const Loads& loads, const std::string& command);

}  // namespace rollcall::elim::show
