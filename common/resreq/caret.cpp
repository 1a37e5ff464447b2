#include <algorithm>

#include "common/resreq/cursor.hpp"

namespace rollcall::resreq {
namespace {

constexpr std::size_t kBefore = 60;  // characters shown before the place, and behind it
constexpr std::size_t kBehind = 40;

// A text as characters that each take one column: what would disturb a terminal is "?", blanks are one blank.
struct Column {
  std::string bytes;
  std::size_t offset = 0;
};

std::vector<Column> columns_of(std::string_view text) {
  std::vector<Column> columns;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    const auto byte = static_cast<unsigned char>(text[at]);
    std::string bytes(text.substr(at, std::max<std::size_t>(length, 1)));
    if (byte == '\t' || byte == '\n' || byte == '\r')
      bytes = " ";
    else if (length == 0 || byte < 0x20 || byte == 0x7f)
      bytes = "?";
    columns.push_back({std::move(bytes), at});
    at += std::max<std::size_t>(length, 1);
  }
  return columns;
}

}  // namespace

std::string caret_lines(std::string_view resreq, const ParseError& error) {
  const std::size_t place = std::min(error.offset, resreq.size());
  const auto columns = columns_of(resreq);
  const auto here = static_cast<std::size_t>(
      std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.offset >= place; }) -
      columns.begin());
  const std::size_t begin = here > kBefore ? here - kBefore : 0;
  const std::size_t end = std::min(columns.size(), here + kBehind);
  std::string line = begin > 0 ? "..." : "";
  const std::size_t indent = line.size() + here - begin;
  for (std::size_t i = begin; i < end; ++i) line += columns[i].bytes;
  if (end < columns.size()) line += "...";
  return error.text + "\n" + line + "\n" + std::string(indent, ' ') + "^";
}

}  // namespace rollcall::resreq
