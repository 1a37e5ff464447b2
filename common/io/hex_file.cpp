#include "common/io/hex_file.hpp"

#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "common/io/descriptor.hpp"

namespace rollcall::io {
namespace {

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "is a directory";
  if (S_ISFIFO(mode)) return "is a FIFO";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "is a device";
  return "is no regular file";
}

// The open folder of a path, and the name in it.
struct Spot {
  Descriptor directory;
  std::string name;
};

Result<Spot> find_spot(const HexFile& file, const char* what_for) {
  const auto slash = file.path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : file.path.substr(0, slash + 1);
  Spot spot;
  spot.name = slash == std::string::npos ? file.path : file.path.substr(slash + 1);
  spot.directory = Descriptor(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // For reading, a folder that may be entered but not listed is enough.
  if (!spot.directory) spot.directory = Descriptor(open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!spot.directory) return file.failed(what_for, errno);
  return spot;
}

// Reads until `size` bytes or the end; the number of bytes, or -1 with errno.
ssize_t read_up_to(int fd, char* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = read(fd, to + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(done);
}

// fchmod() as well: an odd umask must not leave a file that its owner cannot read.
bool write_digits(int fd, const HexBytes& bytes, mode_t mode) {
  auto text = print_hex_line(bytes);
  const bool written = fchmod(fd, mode) == 0 &&
                       write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       fsync(fd) == 0;
  sodium_memzero(text.data(), text.size());
  return written;
}

// Links the finished file to its name, unless the name exists.
bool publish(int directory, const std::string& temporary, const std::string& name) {
  if (linkat(directory, temporary.c_str(), directory, name.c_str(), 0) == 0) return true;
  if (errno == EEXIST) return false;
  // For file systems without hard links.
  return renameat2(directory, temporary.c_str(), directory, name.c_str(), RENAME_NOREPLACE) == 0;
}

}  // namespace

Error HexFile::wrong(const std::string& found, const std::string& expected) const {
  return configuration_error(what + " " + path + ": " + found + ", expected " + expected);
}

Error HexFile::failed(const std::string& what_not, int error) const {
  return configuration_error(what + " " + path + ": cannot " + what_not + ": " + std::strerror(error));
}

Result<HexBytes> read_hex_file(const HexFile& file, const HexFileRule& rule) {
  const auto spot = find_spot(file, "open it");
  if (!spot) return spot.error();
  // O_NONBLOCK: a FIFO must not block the open; it is refused afterwards.
  const Descriptor fd(openat(spot->directory.get(), spot->name.c_str(),
                             O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd && errno == ELOOP) return file.wrong("is a symbolic link", "a regular file");
  if (!fd) return file.failed("open it", errno);
  struct stat info, around;
  if (fstat(fd.get(), &info) != 0 || fstat(spot->directory.get(), &around) != 0)
    return file.failed("look at it", errno);
  if (!S_ISREG(info.st_mode)) return file.wrong(kind_of(info.st_mode), "a regular file");
  if (auto allowed = rule(info, around); !allowed) return allowed.error();
  std::array<char, kHexLineBytes + 1> text;  // one more, to see that there is no more
  const ssize_t size = read_up_to(fd.get(), text.data(), text.size());
  if (size < 0) return file.failed("read it", errno);
  auto bytes = parse_hex_line({text.data(), static_cast<std::size_t>(size)});
  sodium_memzero(text.data(), text.size());
  if (!bytes) return file.wrong(bytes.error().text, kHexLineForm);
  return bytes;
}

Result<void> create_hex_file(const HexFile& file, const HexBytes& bytes, mode_t mode) {
  const auto spot = find_spot(file, "open its directory");
  if (!spot) return spot.error();
  return create_hex_file_in(spot->directory.get(), file, bytes, mode);
}

Result<void> create_hex_file_in(int directory, const HexFile& file, const HexBytes& bytes, mode_t mode) {
  const std::string name = file.path.substr(file.path.rfind('/') + 1);
  // A name of our own: the rest of a killed process must not be in the way.
  const std::string temporary =
      name + "." + std::to_string(getpid()) + "." + std::to_string(randombytes_random());
  const Descriptor fresh(
      openat(directory, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fresh) return file.failed("make it", errno);
  const bool done = write_digits(fresh.get(), bytes, mode) && publish(directory, temporary, name);
  const int error = errno;
  unlinkat(directory, temporary.c_str(), 0);
  if (!done && error == EEXIST) return file.wrong("is there", "none");
  if (!done) return file.failed("make it", error);
  fsync(directory);
  return {};
}

bool exists(const HexFile& file) {
  struct stat info;
  return lstat(file.path.c_str(), &info) == 0 || errno != ENOENT;
}

std::string mode_text(mode_t mode) {
  char text[16];
  std::snprintf(text, sizeof text, "mode %04o", static_cast<unsigned>(mode & 07777));
  return text;
}

}  // namespace rollcall::io
