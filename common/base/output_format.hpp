// OutputFormat: what the option -o of LSF's commands means: which fields, how wide, with what between them. A value.
//
// It knows no field by itself: a command hands its fields in, and their values as text. "IBM Spectrum LSF 10.1", -o of
// bjobs and its siblings. The grammar is at the top of output_format.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall {

// A field that a command can print.
struct OutputField {
  std::string name;    // lower case, as -o names it
  std::string header;  // as the header line and JSON have it
  std::size_t width;   // the recommended one
  std::vector<std::string> aliases;
  bool keep_tail = false;  // what is too long loses its head, and a "*" says so; others lose their tail
};

struct ChosenField {
  std::size_t field = 0;             // its place in the command's fields
  std::optional<std::size_t> width;  // none: as wide as the value
  bool right = false;
  std::string unit;  // of a size: "G"; "" where none was asked for
  friend bool operator==(const ChosenField&, const ChosenField&) = default;
};

class OutputFormat {
 public:
  // Errors (usage): a field that the command does not have, a width that is no number.
  static Result<OutputFormat> parse(std::string_view text, const std::vector<OutputField>& fields);

  const std::vector<ChosenField>& chosen() const { return chosen_; }

  // The header line, and the line of one row: a value for each chosen field, in their order.
  std::string header(const std::vector<OutputField>& fields) const;
  std::string line(const std::vector<std::string>& values, const std::vector<OutputField>& fields) const;
  std::string line(const std::vector<std::string>& values) const { return line(values, {}); }

 private:
  std::vector<ChosenField> chosen_;
  std::string delimiter_ = " ";
  bool delimited_ = false;  // a delimiter was given: no padding
};

}  // namespace rollcall
