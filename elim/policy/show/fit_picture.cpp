#include "elim/policy/show/fit_picture.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace rollcall::elim::show {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto size = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

// The number of screen rows: a line wider than the screen wraps. UTF-8 continuation bytes have no width.
std::size_t rows_of(std::string_view line, const ScreenSize& screen) {
  const auto width = static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return c != '\n' && (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
  return screen.columns == 0 || width == 0 ? 1 : (width + screen.columns - 1) / screen.columns;
}

std::size_t rows_of(const std::vector<std::string_view>& lines, const ScreenSize& screen) {
  std::size_t rows = 0;
  for (const auto line : lines) rows += rows_of(line, screen);
  return rows;
}

// The first of `lines`; if not all fit, the last row says how many more there are of `what`.
std::string first_of(const std::vector<std::string_view>& lines, std::size_t room, const char* what,
                     const ScreenSize& screen) {
  std::string text;
  if (rows_of(lines, screen) <= room) {
    for (const auto line : lines) text += line;
    return text;
  }
  std::size_t shown = 0;
  for (std::size_t used = 1; shown < lines.size(); ++shown) {
    used += rows_of(lines[shown], screen);
    if (used > room) break;
    text += lines[shown];
  }
  return text + "... " + std::to_string(lines.size() - shown) + " more " + what + "\n";
}

}  // namespace

std::string fit_picture(const Picture& picture, const ScreenSize& screen) {
  const auto title = lines_of(picture.title), table = lines_of(picture.table),
             graphs = lines_of(picture.graphs);
  const std::size_t gap = graphs.empty() ? 0 : 1;
  const std::string whole = picture.title + picture.table + (gap == 0 ? "" : "\n") + picture.graphs;
  // The cursor stands in the row behind the last line.
  const std::size_t needed =
      rows_of(title, screen) + rows_of(table, screen) + gap + rows_of(graphs, screen) + 1;
  if (screen.rows == 0 || needed <= screen.rows || table.empty()) return whole;
  const auto less = [](std::size_t a, std::size_t b) { return a > b ? a - b : 0; };
  const std::size_t room = std::max<std::size_t>(
      2, less(screen.rows, rows_of(title, screen) + rows_of(table.front(), screen) + gap + 1));
  // The table gets the rows that the graphs leave, and at least half of them.
  const std::vector<std::string_view> hosts(table.begin() + 1, table.end());
  const std::size_t for_graphs =
      std::min(rows_of(graphs, screen), std::max(room / 2, less(room, rows_of(hosts, screen))));
  std::string text = picture.title;
  text += table.front();
  text += first_of(hosts, less(room, for_graphs), "hosts", screen);
  if (gap != 0) text += "\n" + first_of(graphs, for_graphs, "indices", screen);
  return text;
}

}  // namespace rollcall::elim::show
