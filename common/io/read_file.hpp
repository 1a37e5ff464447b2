// read_file: a whole small file as a string.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <string>

namespace rollcall::io {

inline constexpr std::size_t kMostRead = 64 << 20;  // bytes; a longer file (/dev/zero) is refused: EFBIG

// Errors are errno's; a directory is one (EISDIR). A FIFO blocks, as users who name one expect.
boost::system::result<std::string> read_file(const std::string& path);
// For a file that the user did not name: a FIFO or a device in its place is an error and does not block.
boost::system::result<std::string> read_regular_file(const std::string& path);

}  // namespace rollcall::io
