#include "elim/elims/hwloc_options.hpp"

#include "common/base/numbers.hpp"

namespace rollcall::load {
namespace {

constexpr std::string_view kOurs = "--hwloc-";

Result<int> number(std::string_view name, std::string_view value, int least, int most) {
  if (const auto parsed = parse_whole(value, least, most)) return *parsed;
  return usage_error(std::string(name) + ": found \"" + std::string(value) + "\", expected " +
                     std::to_string(least) + " to " + std::to_string(most));
}

Result<void> take(std::string_view word, HwlocOptions& options) {
  const auto equals = word.find('=');
  const auto name = word.substr(0, equals);
  const auto value = equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
  if (name == "--hwloc-interval" || name == "--hwloc-strings") {
    const bool interval = name == "--hwloc-interval";
    const auto parsed = interval ? number(name, value, 1, 86400) : number(name, value, 1, 1'000'000);
    if (!parsed) return parsed.error();
    (interval ? options.interval : options.strings) = *parsed;
    return {};
  }
  const bool file = name == "--hwloc-topology";
  if (!file && name != "--hwloc-root")
    return usage_error(
        "found \"" + std::string(word) +
        "\", expected --hwloc-interval=, --hwloc-topology=, --hwloc-root= or --hwloc-strings=");
  if (value.empty()) return usage_error(std::string(name) + ": found nothing, expected a path");
  (file ? options.topology : options.root) = value;
  return {};
}

}  // namespace

Result<HwlocOptions> read_hwloc_options(const std::vector<std::string>& words) {
  HwlocOptions options;
  for (const auto& word : words) {
    if (word == "-h" || word == "--help") options.action = HwlocOptions::Action::help;
    if (word == "-V") options.action = HwlocOptions::Action::version;
    if (!word.starts_with(kOurs)) continue;
    if (const auto taken = take(word, options); !taken) return taken.error();
  }
  return options;
}

}  // namespace rollcall::load
