#include "sched/commands/event_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "common/base/host_list.hpp"
#include "common/io/name_lookup.hpp"
#include "sched/commands/asking.hpp"

namespace rollcall::sched {
namespace {

constexpr std::size_t kPiece = 64 << 10;

}  // namespace

Result<events::EventReader::PassedOver> read_event_file(const std::string& path,
                                                        const events::EventReader::Take& take) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return configuration_error(std::strerror(errno));
  events::EventReader reader;
  std::vector<char> piece(kPiece);
  ssize_t size = 0;
  do {
    size = read(fd, piece.data(), piece.size());
    if (size > 0) reader.read({piece.data(), static_cast<std::size_t>(size)}, take);
  } while (size > 0 || (size < 0 && errno == EINTR));
  const int trouble = size < 0 ? errno : 0;
  close(fd);
  if (trouble != 0) return configuration_error(std::strerror(trouble));
  reader.end(take);
  return reader.passed_over();
}

int tell_reading(io::Stage& stage, const std::string& path,
                 const Result<events::EventReader::PassedOver>& read) {
  const std::string file = "-f: " + printable(path) + ": ";
  if (!read) return stage.fail(file + read.error().text);
  if (read->lines > 0)
    stage.fail(file + "line " + std::to_string(read->first) + ": " + read->why + "; it was passed over" +
               (read->lines > 1 ? ", with " + std::to_string(read->lines - 1) + " more" : ""));
  return 0;
}

Identity own_identity() {
  Identity who;
  who.uid = getuid();
  who.gid = getgid();
  who.user = io::look_up_user(who.uid);
  return who;
}

}  // namespace rollcall::sched
