#include "common/conf/shown_lines.hpp"

namespace rollcall::conf {

ShownLines shown_lines(const Row& row) {
  ShownLines lines;
  for (const auto& [keyword, cell] : row.cells()) lines.push_back({keyword, cell.text});
  return lines;
}

ShownLines shown_lines(const Row& row, std::initializer_list<std::string_view> keywords) {
  ShownLines lines;
  for (const std::string_view keyword : keywords)
    if (const Cell* cell = row.given(keyword)) lines.push_back({std::string(keyword), cell->text});
  return lines;
}

}  // namespace rollcall::conf
