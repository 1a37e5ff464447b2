#include "common/base/table_cells.hpp"

#include <cstdio>

#include "common/base/load_vector.hpp"

namespace rollcall {
namespace {

std::string fixed(double value, int digits, const char* unit = "") {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f%s", digits, value, unit);
  return text;
}

constexpr double kGiga = 1024;  // in MB

std::string memory(double megabytes) {
  if (megabytes < kGiga) return fixed(megabytes, 0, "M");
  if (megabytes < kGiga * kGiga) return fixed(megabytes / kGiga, 1, "G");
  return fixed(megabytes / kGiga / kGiga, 1, "T");
}

// LSF keeps megabytes of /tmp as long as four digits do, and shows no decimals after that.
std::string disk(double megabytes) {
  if (megabytes < 10000) return fixed(megabytes, 0, "M");
  if (megabytes < 10000 * kGiga) return fixed(megabytes / kGiga, 0, "G");
  return fixed(megabytes / kGiga / kGiga, 0, "T");
}

}  // namespace

std::string load_cell(std::string_view index, float value) {
  if (!known_load(value)) return "-";
  if (index == "ut") return fixed(100.0 * value, 0, "%");
  if (index == "io" || index == "ls" || index == "it") return fixed(value, 0);
  if (index == "tmp") return disk(value);
  if (index == "swp" || index == "mem") return memory(value);
  return fixed(value, 1);
}

std::string size_cell(std::uint64_t megabytes) {
  return megabytes == 0 ? "-" : memory(static_cast<double>(megabytes));
}

std::string right(std::string_view text, std::size_t width) {
  std::string cell(text.size() < width ? width - text.size() : 0, ' ');
  return cell.append(text);
}

std::string left(std::string_view text, std::size_t width) {
  std::string cell(text);
  if (cell.size() < width) cell.resize(width, ' ');
  return cell;
}

}  // namespace rollcall
