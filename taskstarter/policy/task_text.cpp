#include "taskstarter/policy/task_text.hpp"

#include <charconv>

namespace rollcall::taskstarter {
namespace {

// The number of bytes of the character at the start of `text`, 0 where it is not valid UTF-8.
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xc2 && first <= 0xdf   ? 2
                           : (first & 0xf0) == 0xe0         ? 3
                           : first >= 0xf0 && first <= 0xf4 ? 4
                                                            : 0;
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Longer than needed, a surrogate, or beyond the last character.
  if (first == 0xe0 && byte(1) < 0xa0) return 0;
  if (first == 0xed && byte(1) > 0x9f) return 0;
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) > 0x8f) return 0;
  return size;
}

}  // namespace

std::optional<std::uint32_t> launcher_rank(const std::function<const char*(const char*)>& variable) {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    const char* found = variable(name);
    if (found == nullptr) continue;
    const std::string_view text = found;
    std::uint32_t rank = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (failure == std::errc{} && end == text.data() + text.size()) return rank;
  }
  return std::nullopt;
}

std::string message_text(std::string_view text, std::size_t limit) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const std::string_view character = size == 0 ? std::string_view("?") : text.substr(0, size);
    if (result.size() + character.size() > limit) break;
    result += character;
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

std::string command_text(std::span<const char* const> words, std::size_t limit) {
  std::string joined;
  for (const char* word : words) {
    if (!joined.empty()) joined += ' ';
    joined += word;
    if (joined.size() > limit) break;
  }
  return message_text(joined, limit);
}

}  // namespace rollcall::taskstarter
