// A table of the system's time zones: how far a zone is from UTC at a moment, from the bytes of its file.
//
// The C library answers this for the one zone that the environment variable TZ names; a program with threads must not change
// its environment. The format is TZif (RFC 8536). Leap seconds, which the tables below "right/" count, are passed over. A
// function; who reads the file is common/io/config_source.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rollcall {

// Seconds east of UTC at `when`, seconds since 1970; nothing where `file` is no such table.
std::optional<std::int32_t> offset_in_zone(std::string_view file, std::int64_t when);

}  // namespace rollcall
