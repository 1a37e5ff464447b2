// read_file: a whole small file as a string.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <string>

namespace rollcall::io {

inline constexpr std::size_t kMostRead = 64
                                         << 20;  // bytes; what is longer (/dev/zero) is none of ours: EFBIG

// Errors are errno's; a directory is one (EISDIR).
boost::system::result<std::string> read_file(const std::string& path);

}  // namespace rollcall::io
