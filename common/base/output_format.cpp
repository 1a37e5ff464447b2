// format    = { field | delimiter }           blanks between them
// delimiter = "delimiter=" quote text quote   ' or "; widths do not count then
// field     = name                            as wide as its value, left-aligned
//           | name ":" ["-"] [width] [":" unit]
//             the recommended width where none is said; "-" aligns right; what is longer is cut
// Names are compared without regard to case.
#include "common/base/output_format.hpp"

#include <algorithm>
#include <cctype>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"

namespace rollcall {
namespace {

constexpr int kWidest = 4096;
constexpr std::string_view kDelimiter = "delimiter=";

std::string lower(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::optional<std::size_t> find(const std::vector<OutputField>& fields, const std::string& name) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto& aliases = fields[i].aliases;
    if (fields[i].name == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end()) return i;
  }
  return std::nullopt;
}

// As LSF's own messages name things, and fit for one line.
std::string in_brackets(std::string_view word) {
  const std::string quoted = printable(word);
  return "<" + quoted.substr(1, quoted.size() - 2) + ">";
}

Result<ChosenField> parse_field(std::string_view word, const std::vector<OutputField>& fields) {
  const auto colon = word.find(':');
  const auto place = find(fields, lower(word.substr(0, colon)));
  if (!place) return usage_error("-o: " + in_brackets(word.substr(0, colon)) + " is not a valid field name");
  ChosenField chosen{*place, std::nullopt, false, ""};
  if (colon == std::string_view::npos) return chosen;

  std::string_view width = word.substr(colon + 1);
  if (const auto second = width.find(':'); second != std::string_view::npos) {
    chosen.unit = std::string(width.substr(second + 1));
    width = width.substr(0, second);
  }
  chosen.right = width.substr(0, 1) == "-";
  if (chosen.right) width.remove_prefix(1);
  chosen.width = fields[*place].width;
  if (width.empty()) return chosen;
  const auto number = parse_whole(width, 1, kWidest);
  if (!number) return usage_error("-o: found the width " + printable(width) + ", expected 1 to 4096");
  chosen.width = static_cast<std::size_t>(*number);
  return chosen;
}

std::string cut(std::string_view value, std::size_t width, bool keep_tail) {
  if (value.size() <= width) return std::string(value);
  if (!keep_tail) return std::string(value.substr(0, width));
  return "*" + std::string(value.substr(value.size() - width + 1));
}

std::string cell(const ChosenField& chosen, std::string_view value, bool keep_tail) {
  if (!chosen.width) return std::string(value);
  std::string text = cut(value, *chosen.width, keep_tail);
  const std::string blanks(*chosen.width - text.size(), ' ');
  return chosen.right ? blanks + text : text + blanks;
}

}  // namespace

Result<OutputFormat> OutputFormat::parse(std::string_view text, const std::vector<OutputField>& fields) {
  OutputFormat format;
  while (true) {
    const auto begin = text.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    if (lower(text.substr(0, kDelimiter.size())) == kDelimiter) {
      text.remove_prefix(kDelimiter.size());
      const char quote = text.empty() ? '\0' : text.front();
      const auto end = quote == '\'' || quote == '"' ? text.find(quote, 1) : std::string_view::npos;
      if (end == std::string_view::npos)
        return usage_error("-o: found delimiter=" + printable(text) + ", expected a text in quotes");
      format.delimiter_ = std::string(text.substr(1, end - 1));
      format.delimited_ = true;
      text.remove_prefix(end + 1);
      continue;
    }
    const std::string_view word = text.substr(0, text.find_first_of(" \t\n"));
    const auto chosen = parse_field(word, fields);
    if (!chosen) return chosen.error();
    format.chosen_.push_back(*chosen);
    text.remove_prefix(word.size());
  }
  if (format.chosen_.empty()) return usage_error("-o: found no field, expected at least one");
  return format;
}

std::string OutputFormat::header(const std::vector<OutputField>& fields) const {
  std::vector<std::string> headers;
  for (const auto& chosen : chosen_) headers.push_back(fields[chosen.field].header);
  return line(headers);
}

std::string OutputFormat::line(const std::vector<std::string>& values,
                               const std::vector<OutputField>& fields) const {
  std::string text;
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const std::string value = i < values.size() ? values[i] : "-";
    const bool keep_tail = chosen_[i].field < fields.size() && fields[chosen_[i].field].keep_tail;
    text += (i == 0 ? "" : delimiter_) + (delimited_ ? value : cell(chosen_[i], value, keep_tail));
  }
  return text + "\n";
}

}  // namespace rollcall
