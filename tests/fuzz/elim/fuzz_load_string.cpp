// Any bytes as what an elim writes: cut in two ways they mean the same, and no value passes that no index may have.
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/load_vector.hpp"
#include "elim/policy/melim/line_cutter.hpp"
#include "elim/policy/melim/load_string.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::melim;
using rollcall::fuzz::require;

namespace {

const ElimNames& names() {
  static const ElimNames known({{"nio"},
                                {"tmp2"},
                                {"licenses"},
                                {"healthy", ResourceType::string},
                                {"tmp", ResourceType::numeric, true, 1000.0},
                                {"r1m", ResourceType::numeric, true, {}}});
  return known;
}

struct Heard {
  std::vector<Reading> readings;
  std::vector<std::string> faults;
  friend bool operator==(const Heard&, const Heard&) = default;
};

void check(const Reading& reading) {
  const ElimName* known = names().find(reading.name);
  require(known != nullptr);
  if (const auto* word = std::get_if<std::string>(&reading.value)) {
    require(known->type == ResourceType::string && !word->empty() && word->size() <= kWordLimit);
    require(word->find_first_of(std::string_view(" \t\r\n\x1b\0", 6)) == std::string::npos);
    return;
  }
  const float number = std::get<float>(reading.value);
  require(known->type != ResourceType::string && std::isfinite(number) && std::fabs(number) <= kUnknownLoad);
  require(!known->built_in || number >= 0);
  require(!known->most || number <= static_cast<float>(*known->most));
}

void hear(LineCutter& cutter, std::string_view bytes, Heard& heard) {
  cutter.feed(bytes, [&](std::string_view line, LineCutter::Kind kind) {
    LoadString said = kind == LineCutter::Kind::whole ? read_load_string(line, names()) : refuse_long_line();
    require(!said.refused || (said.readings.empty() && said.faults.size() == 1));
    require(said.faults.size() <= kFaultsOfAString);
    for (const Fault& fault : said.faults) {
      require(!fault.text.empty() && fault.text.size() < 1000);
      for (const char c : fault.text) require(c >= 0x20 && c < 0x7f);
      heard.faults.push_back(fault.text);
    }
    for (Reading& reading : said.readings) {
      check(reading);
      heard.readings.push_back(std::move(reading));
    }
  });
}

}  // namespace

// The first byte says into how large pieces the rest is cut the second time.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = 1 + data[0] % 16;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr std::size_t kLimit = 4096;
  Heard whole;
  LineCutter at_once(kLimit);
  hear(at_once, bytes, whole);
  Heard pieces;
  LineCutter cutter(kLimit);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    hear(cutter, bytes.substr(at, piece), pieces);
    require(cutter.rest().size() <= kLimit);
  }
  require(pieces == whole);
  require(cutter.in_line() == at_once.in_line() && cutter.rest() == at_once.rest());
  return 0;
}
