#include "common/io/key_file.hpp"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "common/io/descriptor.hpp"

namespace rollcall::io {
namespace {

constexpr std::size_t kFileBytes = 2 * kKeyBytes + 1;
constexpr const char* kForm = "64 hexadecimal digits and a newline";

Error wrong(const std::string& path, const std::string& found, const std::string& expected) {
  return configuration_error("key file " + path + ": " + found + ", expected " + expected);
}

Error failed(const std::string& path, const char* what, int error) {
  return configuration_error("key file " + path + ": cannot " + what + ": " + std::strerror(error));
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "is a directory";
  if (S_ISFIFO(mode)) return "is a FIFO";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "is a device";
  return "is no regular file";
}

// Whether nobody else could have read or written the open file.
Result<void> check_secrecy(const std::string& path, int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0) return failed(path, "look at it", errno);
  if (!S_ISREG(info.st_mode)) return wrong(path, kind_of(info.st_mode), "a regular file");
  if (info.st_uid != geteuid())
    return wrong(path, "belongs to user " + std::to_string(info.st_uid), "user " + std::to_string(geteuid()));
  if ((info.st_mode & 077) != 0) {
    char mode[16];
    std::snprintf(mode, sizeof mode, "mode %04o", static_cast<unsigned>(info.st_mode & 07777));
    return wrong(path, mode, "0600 or stricter");
  }
  return {};
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<Key> parse(const std::string& path, std::string_view text) {
  if (text.size() > kFileBytes) return wrong(path, "over " + std::to_string(kFileBytes) + " bytes", kForm);
  if (text.size() < kFileBytes) return wrong(path, std::to_string(text.size()) + " bytes", kForm);
  if (text.back() != '\n') return wrong(path, "no newline at its end", kForm);
  Key key{};
  for (std::size_t i = 0; i < 2 * kKeyBytes; ++i) {
    const int value = digit_value(text[i]);
    if (value < 0)
      return wrong(path, "character " + std::to_string(i + 1) + " is no hexadecimal digit", kForm);
    key[i / 2] = static_cast<std::uint8_t>(key[i / 2] << 4 | value);
  }
  return key;
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

Result<Key> read_key(const std::string& path, int fd) {
  if (auto secret = check_secrecy(path, fd); !secret) return secret.error();
  std::array<char, kFileBytes + 1> text;  // one more, to see that there is no more
  const ssize_t size = read_up_to(fd, text.data(), text.size());
  if (size < 0) return failed(path, "read it", errno);
  const Result<Key> key = parse(path, std::string_view(text.data(), static_cast<std::size_t>(size)));
  sodium_memzero(text.data(), text.size());
  return key;
}

// O_NONBLOCK: somebody's FIFO must not hold us; it is then refused for what it is.
int open_key(const std::string& path) {
  return open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

Error cannot_open(const std::string& path, int error) {
  if (error == ELOOP) return wrong(path, "is a symbolic link", "a regular file");
  return failed(path, "open it", error);
}

// Puts a fresh key into the new file `fd`.
bool write_fresh_key(int fd) {
  static constexpr char kDigits[] = "0123456789abcdef";
  if (sodium_init() < 0) return false;
  Key key;
  randombytes_buf(key.data(), key.size());
  std::array<char, kFileBytes> text;
  for (std::size_t i = 0; i < kKeyBytes; ++i) {
    text[2 * i] = kDigits[key[i] >> 4];
    text[2 * i + 1] = kDigits[key[i] & 15];
  }
  text.back() = '\n';
  // The mode is said again: an odd umask must not leave a key that even its owner cannot read.
  const bool written =
      fchmod(fd, 0600) == 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  sodium_memzero(text.data(), text.size());
  sodium_memzero(key.data(), key.size());
  return written;
}

// Gives the finished file `temporary` the name `path`, unless there is one of that name; then that one
// counts.
bool publish(const std::string& temporary, const std::string& path) {
  if (link(temporary.c_str(), path.c_str()) == 0 || errno == EEXIST) return true;
  // File systems without hard links have this instead.
  return renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0 ||
         errno == EEXIST;
}

Result<void> create_key(const std::string& path) {
  const auto slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return configuration_error("key file " + path + ": cannot make the directory " + directory + ": " +
                               std::strerror(errno));
  // A name of our own, so that a pam that was killed half-way is in nobody's way.
  const std::string temporary =
      path + "." + std::to_string(getpid()) + "." + std::to_string(randombytes_random());
  const Descriptor fresh(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (fresh.get() < 0) return failed(path, "make it", errno);
  const bool done = write_fresh_key(fresh.get()) && publish(temporary, path);
  const int error = errno;
  unlink(temporary.c_str());
  if (!done) return failed(path, "make it", error);
  return {};
}

}  // namespace

std::string key_file_path(const std::optional<std::string>& environment,
                          const std::optional<std::string>& lsf_conf, const std::string& home) {
  if (environment && !environment->empty()) return *environment;
  if (lsf_conf && !lsf_conf->empty()) return *lsf_conf;
  return home + "/.rollcall/key";
}

Result<Key> load_key(const std::string& path) {
  const Descriptor file(open_key(path));
  if (file.get() < 0) return cannot_open(path, errno);
  return read_key(path, file.get());
}

Result<Key> load_or_create_key(const std::string& path) {
  const Descriptor file(open_key(path));
  if (file.get() >= 0) return read_key(path, file.get());
  if (errno != ENOENT) return cannot_open(path, errno);
  if (auto created = create_key(path); !created) return created.error();
  return load_key(path);
}

}  // namespace rollcall::io
