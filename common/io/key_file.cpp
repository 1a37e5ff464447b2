#include "common/io/key_file.hpp"

#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/io/hex_file.hpp"

namespace rollcall::io {
namespace {

static_assert(kKeyBytes == sizeof(HexBytes));

HexFile key_file(const std::string& path) { return {"key file", path}; }

// Whether nobody else could have read or written the open file.
Result<void> check_secrecy(const HexFile& file, const struct stat& info) {
  if (info.st_uid != geteuid())
    return file.wrong("belongs to user " + std::to_string(info.st_uid), "user " + std::to_string(geteuid()));
  if ((info.st_mode & 077) != 0) return file.wrong(mode_text(info.st_mode), "0600 or stricter");
  return {};
}

// An error only where there is still no such file: of several that make it at once one succeeds.
Result<void> create_key(const std::string& path) {
  const auto slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return configuration_error("key file " + path + ": cannot make the directory " + directory + ": " +
                               std::strerror(errno));
  HexBytes key;
  if (sodium_init() < 0) return internal_error("key file " + path + ": there is no randomness");
  randombytes_buf(key.data(), key.size());
  auto created = create_hex_file(key_file(path), key, 0600);
  sodium_memzero(key.data(), key.size());
  if (!created && exists(key_file(path))) return {};
  return created;
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
  if (!exists(key_file(path)))
    if (auto created = create_key(path); !created) return created.error();
  return load_key(path);
}

}  // namespace rollcall::io
