#include "common/io/durable_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "common/io/descriptor.hpp"

namespace rollcall::io {
namespace {

Error failed(const char* what, const std::string& name) {
  return internal_error(std::string("cannot ") + what + " " + name + ": " + std::strerror(errno));
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = write(fd, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

constexpr std::string_view kWhole = "\nwhole\n";

}  // namespace

Result<void> write_durably(int directory, const std::string& name, std::string_view bytes, mode_t mode) {
  const std::string fresh = name + ".new";
  const Descriptor file(
      openat(directory, fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file) return failed("make", fresh);
  if (!write_all(file.get(), bytes)) return failed("write", fresh);
  if (fdatasync(file.get()) != 0) return failed("sync", fresh);
  if (renameat(directory, fresh.c_str(), directory, name.c_str()) != 0) return failed("rename", fresh);
  if (fsync(directory) != 0) return failed("sync the directory of", name);
  return {};
}

std::string marked(std::string_view bytes) { return std::string(bytes).append(kWhole); }

Result<void> write_marked(int directory, const std::string& name, std::string_view bytes, mode_t mode) {
  const Descriptor file(
      openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file) return failed("make", name);
  if (!write_all(file.get(), marked(bytes))) return failed("write", name);
  if (fsync(file.get()) != 0) return failed("sync", name);
  return {};
}

std::optional<std::string> read_marked(int directory, const std::string& name, std::size_t most) {
  auto text = read_at(directory, name, most);
  if (!text || !*text || !std::string_view(**text).ends_with(kWhole)) return std::nullopt;
  (*text)->resize((*text)->size() - kWhole.size());
  return std::move(**text);
}

Result<std::optional<std::string>> read_at(int directory, const std::string& name, std::size_t most) {
  const Descriptor file(openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!file) {
    if (errno == ENOENT) return std::optional<std::string>();
    return failed("open", name);
  }
  std::string text;
  std::array<char, 16384> room;
  for (;;) {
    const ssize_t size = read(file.get(), room.data(), room.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return failed("read", name);
    if (size == 0) return std::optional<std::string>(std::move(text));
    text.append(room.data(), static_cast<std::size_t>(size));
    if (text.size() > most) return internal_error(name + ": larger than " + std::to_string(most) + " bytes");
  }
}

}  // namespace rollcall::io
