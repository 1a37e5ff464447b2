// read_file: a whole small file as a string.
#pragma once

#include <boost/system/result.hpp>
#include <string>

namespace rollcall::io {

// Errors are errno's; a directory is one (EISDIR).
boost::system::result<std::string> read_file(const std::string& path);

}  // namespace rollcall::io
