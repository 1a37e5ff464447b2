#include "elim/policy/load/host_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>

#include "common/base/numbers.hpp"

namespace rollcall::load {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool letter_or_digit(char c) { return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z'); }

bool begins_with(std::string_view text, std::string_view start) {
  return text.size() >= start.size() && std::equal(start.begin(), start.end(), text.begin(),
                                                   [](char a, char b) { return lower(a) == lower(b); });
}
bool same(std::string_view a, std::string_view b) { return a.size() == b.size() && begins_with(a, b); }

std::string letters_and_digits(std::string_view text) {
  std::string kept;
  std::copy_if(text.begin(), text.end(), std::back_inserter(kept), letter_or_digit);
  return kept;
}

struct Architecture {
  std::string_view platform;
  std::optional<int> speed;
  std::string_view processor;
};

// A platform may contain "_" (X86_64), so the speed is the first part after it that is a number alone. A type that itself ends
// with such a number (X86_64) is recognised by its name.
Architecture parts_of(std::string_view text, std::string_view type) {
  std::size_t from = begins_with(text, type) ? type.size() : 0;
  Architecture parts{text, std::nullopt, {}};
  for (auto bar = text.find('_', from); bar != std::string_view::npos; bar = text.find('_', bar + 1)) {
    const auto rest = text.substr(bar + 1);
    const auto speed = rest.substr(0, rest.find('_'));
    if (!all_digits(speed)) continue;
    parts.platform = text.substr(0, bar);
    parts.speed = parse_whole(speed, 0, 10'000'000);
    if (speed.size() < rest.size()) parts.processor = rest.substr(speed.size() + 1);
    break;
  }
  return parts;
}

// Words that many processors' names contain.
constexpr std::array<std::string_view, 20> kNoise = {
    "CPU",    "Processor", "Core", "Series",      "with",    "Technologies", "Genuine",
    "Dual",   "Quad",      "Gen",  "TM",          "R",       "Xeon",         "vCPU",
    "Radeon", "Graphics",  "raw",  "architected", "altivec", "supported"};

bool tells_nothing(std::string_view word) {
  if (std::any_of(kNoise.begin(), kNoise.end(), [&](auto known) { return same(word, known); })) return true;
  // "64-Core", "12th"
  return word.find("-Core") != std::string_view::npos ||
         (word.size() > 2 && all_digits(word.substr(0, word.size() - 2)) && word.ends_with("th"));
}

// LSF's own models are families where the processor has one: E5-2670 is E5.
bool has_family(std::string_view word) {
  return word.size() > 2 && word[2] == '-' && lower(word[0]) == 'e' && all_digits(word.substr(1, 1));
}

// The words that distinguish a processor's name.
std::vector<std::string> telling_words(std::string_view name) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < name.size();) {
    const auto end = std::min(name.find_first_of(" \t(),", at), name.size());
    const auto word = name.substr(at, end - at);
    at = end + 1;
    if (word == "@" || word == "at") break;
    if (has_family(word)) {
      words.emplace_back(word.substr(0, 2));
      break;
    }
    if (!word.empty() && !tells_nothing(word)) words.emplace_back(word);
  }
  return words;
}

struct ArmPart {
  std::string_view implementer, part, name;
};
// Implementer numbers of Arm processors, as the technical reference manuals give them (MIDR_EL1).
constexpr std::array<ArmPart, 12> kArmParts = {{
    {"0x41", "0xd03", "Cortex_A53"},
    {"0x41", "0xd07", "Cortex_A57"},
    {"0x41", "0xd08", "Cortex_A72"},
    {"0x41", "0xd0b", "Cortex_A76"},
    {"0x41", "0xd0c", "Neoverse_N1"},
    {"0x41", "0xd40", "Neoverse_V1"},
    {"0x41", "0xd49", "Neoverse_N2"},
    {"0x41", "0xd4f", "Neoverse_V2"},
    {"0x43", "0x0af", "ThunderX2"},
    {"0x46", "0x001", "A64FX"},
    {"0x48", "0xd01", "Kunpeng920"},
    {"0xc0", "0xac3", "Ampere1"},
}};

std::string arm_name(const std::vector<std::string>& words) {
  for (const auto& known : kArmParts)
    if (words.size() == 3 && words[1] == known.implementer && words[2] == known.part)
      return "ARM_" + std::string(known.name);
  return "ARM_" + (words.size() == 3 ? letters_and_digits(words[1]) + "_" + letters_and_digits(words[2])
                                     : std::string("unknown"));
}

}  // namespace

std::string host_type(std::string_view machine) {
  std::string type;
  std::transform(machine.begin(), machine.end(), std::back_inserter(type), upper);
  if (type.size() == 4 && type[0] == 'I' && type.ends_with("86")) return "X86";
  return type.empty() ? "UNKNOWN" : type;
}

std::string host_architecture(const CpuIdentity& cpu, std::string_view machine) {
  std::string text = cpu.family > 0 ? "x" + std::to_string(cpu.family) : host_type(machine);
  const double speed = cpu.bogomips > 0 ? cpu.bogomips : cpu.mhz;
  text += "_" + std::to_string(static_cast<int>(std::min(speed, 1e9)));
  const auto processor = letters_and_digits(cpu.name);
  return processor.empty() ? text : text + "_" + processor;
}

std::string matching_model(std::string_view architecture, std::string_view type,
                           const std::vector<conf::HostModel>& models) {
  const auto ours = parts_of(architecture, type);
  std::string best;
  std::tuple<std::size_t, bool, int> best_fit;
  for (const auto& model : models)
    for (const auto& written : model.architectures) {
      const auto entry = parts_of(written, type);
      if (!same(entry.platform, ours.platform) && !same(entry.platform, type)) continue;
      if (!begins_with(ours.processor, entry.processor)) continue;
      const int speed = ours.speed.value_or(0);
      const int distance = entry.speed ? std::abs(*entry.speed - speed) : 0;
      if (entry.processor.empty() && entry.speed && distance > speed / 4) continue;
      const std::tuple fit(entry.processor.size(), entry.speed.has_value(), -distance);
      if (!best.empty() && fit <= best_fit) continue;
      best = model.name;
      best_fit = fit;
    }
  return best;
}

std::string model_of_processor(const CpuIdentity& cpu, std::string_view machine) {
  const auto words = telling_words(cpu.name);
  if (words.empty()) return host_type(machine);
  if (words[0] == "ARM") return arm_name(words);
  std::string name = letters_and_digits(words[0]);
  std::string rest;
  for (std::size_t i = 1; i < words.size() && i < 4; ++i) rest += letters_and_digits(words[i]);
  if (!rest.empty()) name += "_" + rest;
  return name.empty() ? host_type(machine) : name.substr(0, 39);
}

}  // namespace rollcall::load
