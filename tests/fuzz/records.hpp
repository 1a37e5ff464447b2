// How fuzz targets of conversations cut their input: kind, length (two bytes, low one first), as many bytes.
#pragma once

#include <cstdint>
#include <string_view>

namespace rollcall::fuzz {

inline unsigned byte(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
}

// Calls use(kind, bytes) for each record.
template <class Use>
void each_record(const std::uint8_t* data, std::size_t size, const Use& use) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (rest.size() >= 3) {
    const unsigned kind = byte(rest, 0);
    const std::string_view bytes = rest.substr(3, byte(rest, 1) | byte(rest, 2) << 8);
    rest.remove_prefix(3 + bytes.size());
    use(kind, bytes);
  }
}

template <class Message>
bool parse(Message& message, std::string_view bytes) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace rollcall::fuzz
