// read_file: a whole small file as a string.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <string>

namespace rollcall::io {

inline constexpr std::size_t kMostRead = 64
                                         << 20;  // bytes; what is longer (/dev/zero) is none of ours: EFBIG

// Errors are errno's; a directory is one (EISDIR). A FIFO is waited for, as people who name one expect.
boost::system::result<std::string> read_file(const std::string& path);
// Of a file that nobody has named for this program alone: a FIFO or a device in its place is an error and holds nobody.
boost::system::result<std::string> read_regular_file(const std::string& path);

}  // namespace rollcall::io
