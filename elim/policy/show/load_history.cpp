#include "elim/policy/show/load_history.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "common/base/load_vector.hpp"
#include "common/base/table_cells.hpp"

namespace rollcall::elim::show {
namespace {

constexpr std::array<const char*, 8> kBlocks = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<const char*, 8> kAscii = {"_", ".", ":", "-", "=", "+", "*", "#"};

// The mean over the hosts that are up and know the index.
float mean(const wire::Reply::Loads& loads, int place) {
  double sum = 0;
  int known = 0;
  for (const auto& host : loads.hosts()) {
    if (host.status().unavailable() || place >= host.values_size() || !known_load(host.values(place)))
      continue;
    sum += host.values(place);
    ++known;
  }
  return known > 0 ? static_cast<float>(sum / known) : kUnknownLoad;
}

// The age of the oldest value of the index among hosts that are up: "12s", "5m", "3h".
std::string oldest(const wire::Reply::Loads& loads, int place) {
  constexpr std::uint32_t kNotYet = 4294967295U;  // load.proto's age of an index that was never told
  std::optional<std::uint32_t> age;
  for (const auto& host : loads.hosts())
    if (!host.status().unavailable() && place < host.age_ms_size() && host.age_ms(place) != kNotYet)
      age = std::max(age.value_or(0), host.age_ms(place) / 1000);
  if (!age) return "";
  if (*age < 300) return std::to_string(*age) + "s";
  return *age < 300 * 60 ? std::to_string(*age / 60) + "m" : std::to_string(*age / 3600) + "h";
}

// Scaled from the least to the largest sample; a constant line lies at the bottom.
std::string bars(const std::deque<float>& means, const std::array<const char*, 8>& shapes) {
  float least = kUnknownLoad, most = -kUnknownLoad;
  for (const float value : means) {
    if (!known_load(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  std::string text;
  for (const float value : means) {
    if (!known_load(value)) {
      text += ' ';
      continue;
    }
    const double part =
        most > least ? (static_cast<double>(value) - least) / (static_cast<double>(most) - least) : 0;
    text += shapes.at(std::min<std::size_t>(7, static_cast<std::size_t>(part * 8)));
  }
  return text;
}

}  // namespace

LoadHistory::Line& LoadHistory::line(const std::string& name) {
  for (auto& line : lines_)
    if (line.name == name) return line;
  return lines_.emplace_back(Line{name, {}, ""});
}

void LoadHistory::take(const wire::Reply::Loads& loads) {
  for (int place = 0; place < loads.names_size(); ++place) {
    Line& told = line(loads.names(place));
    told.age = oldest(loads, place);
    told.means.push_back(mean(loads, place));
    if (told.means.size() > kHistory) told.means.pop_front();
  }
}

std::string LoadHistory::graph(const std::vector<std::string>& indices, bool unicode) const {
  std::size_t width = 0;
  for (const auto& name : indices) width = std::max(width, name.size());
  std::string text;
  for (const auto& name : indices)
    for (const auto& line : lines_)
      if (line.name == name && !line.means.empty())
        text += left(name, width) + ' ' + right(load_cell(name, line.means.back()), 7) + right(line.age, 5) +
                ' ' + bars(line.means, unicode ? kBlocks : kAscii) + '\n';
  return text;
}

}  // namespace rollcall::elim::show
