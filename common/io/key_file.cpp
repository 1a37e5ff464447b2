#include "common/io/key_file.hpp"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/io/descriptor.hpp"
#include "common/io/hex_file.hpp"

namespace rollcall::io {
namespace {

static_assert(kKeyBytes == sizeof(HexBytes));

HexFile key_file(const std::string& path) { return {"key file", path}; }

// True if no other user could have read or written the open file.
Result<void> check_secrecy(const HexFile& file, const struct stat& info) {
  if (info.st_uid != geteuid())
    return file.wrong("belongs to user " + std::to_string(info.st_uid), "user " + std::to_string(geteuid()));
  if ((info.st_mode & 077) != 0) return file.wrong(mode_text(info.st_mode), "0600 or stricter");
  return {};
}

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// True if only root can replace the file in the open directory.
Result<void> check_directory(const HexFile& file, int directory, const std::string& shown) {
  struct stat info;
  if (fstat(directory, &info) != 0) return file.failed("look at the directory " + shown, errno);
  constexpr const char* kExpected =
      "directories of root alone; set HOME to root's own, or ROLLCALL_KEY_FILE to a file there";
  if (info.st_uid != 0)
    return file.wrong("directory " + shown + " belongs to user " + std::to_string(info.st_uid), kExpected);
  const bool open_to_others =
      (info.st_mode & S_IWOTH) != 0 || ((info.st_mode & S_IWGRP) != 0 && info.st_gid != 0);
  if (open_to_others && (info.st_mode & S_ISVTX) == 0)
    return file.wrong("directory " + shown + " has " + mode_text(info.st_mode), kExpected);
  return {};
}

// Opens the directory of root's key without following symbolic links: root may run with a user's HOME, and that user could
// redirect it. The last directory is made where it is missing.
Result<Descriptor> open_directory_of_root(const HexFile& file) {
  const std::string path = directory_of(file.path);
  Descriptor here(open(path[0] == '/' ? "/" : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::string shown = path[0] == '/' ? "/" : ".";
  for (std::size_t at = path.find_first_not_of('/'); at < path.size(); at = path.find_first_not_of('/', at)) {
    if (auto safe = check_directory(file, here.get(), shown); !safe) return safe.error();
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string word = path.substr(at, end - at);
    shown = path.substr(0, end);
    at = end;
    const bool last = path.find_first_not_of('/', end) == std::string::npos;
    if (last && mkdirat(here.get(), word.c_str(), 0700) != 0 && errno != EEXIST)
      return file.failed("make the directory " + shown, errno);
    Descriptor next(openat(here.get(), word.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next && (errno == ELOOP || errno == ENOTDIR))
      return file.wrong(shown + " is a symbolic link or a file", "a directory of root");
    if (!next && last) return file.failed("open the directory " + shown, errno);
    if (!next) return file.failed("make the directory " + path, errno);
    here = std::move(next);
  }
  if (auto safe = check_directory(file, here.get(), shown); !safe) return safe.error();
  return here;
}

// An error only where the file still does not exist: of several that make it at once one succeeds.
Result<void> create_key(const std::string& path, const Descriptor& of_root) {
  const std::string directory = directory_of(path);
  if (!of_root && mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return configuration_error("key file " + path + ": cannot make the directory " + directory + ": " +
                               std::strerror(errno));
  HexBytes key;
  if (sodium_init() < 0) return internal_error("key file " + path + ": there is no randomness");
  randombytes_buf(key.data(), key.size());
  auto created = of_root ? create_hex_file_in(of_root.get(), key_file(path), key, 0600)
                         : create_hex_file(key_file(path), key, 0600);
  sodium_memzero(key.data(), key.size());
  if (!created && exists(key_file(path))) return {};
  return created;
}

Error with_a_way_out(const Error& error) {
  if (error.text.find("ROLLCALL_KEY_FILE") != std::string::npos) return error;
  return {error.kind,
          error.text + "; set HOME to a directory of yours, or ROLLCALL_KEY_FILE to a file there"};
}

}  // namespace

std::string key_file_path(const std::optional<std::string>& environment,
                          const std::optional<std::string>& lsf_conf, const std::string& home) {
  if (environment && !environment->empty()) return *environment;
  if (lsf_conf && !lsf_conf->empty()) return *lsf_conf;
  return home + "/.rollcall/key";
}

Result<Key> load_key(const std::string& path) {
  const HexFile file = key_file(path);
  return read_hex_file(
      file, [&file](const struct stat& info, const struct stat&) { return check_secrecy(file, info); });
}

Result<Key> load_or_create_key(const std::string& path) {
  Descriptor of_root;
  if (geteuid() == 0) {
    auto opened = open_directory_of_root(key_file(path));
    if (!opened) return with_a_way_out(opened.error());
    of_root = std::move(*opened);
  }
  if (!exists(key_file(path)))
    if (auto created = create_key(path, of_root); !created) return with_a_way_out(created.error());
  return load_key(path);
}

}  // namespace rollcall::io
