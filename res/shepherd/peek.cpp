#include "res/shepherd/peek.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace rollcall::res {
namespace {

constexpr std::size_t kPeekBytes = 64 << 10;

}  // namespace

wire::PeekedPart read_part(const wire::PeekPart& asked, const JobFiles& files) {
  wire::PeekedPart part;
  part.set_number(asked.number());
  const std::string& path = asked.errors() ? files.error_file : files.places.output_file;
  const io::Descriptor file(path.empty() ? -1
                                         : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  const std::int64_t begin = asked.errors() ? 0 : files.output_from;
  std::string data(kPeekBytes, '\0');
  const ssize_t size = file ? pread(file.get(), data.data(), data.size(), begin + asked.from()) : -1;
  if (size >= 0)
    part.set_data(data.substr(0, static_cast<std::size_t>(size)));
  else
    part.set_why_not(path.empty() ? "it writes to no file" : path + ": " + std::strerror(errno));
  return part;
}

}  // namespace rollcall::res
