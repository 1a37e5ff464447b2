// KeyFile: the user's secret by which a pam and its TaskStarters know each other.
//
// Not a connection's key (secure_channel.hpp derives those from it), and not shared between users: a file that another user could
// have read or written is refused. Owned by the user. pam makes it on first use; TaskStarter only reads it (on the task's host,
// from the shared home directory or a copy made by the site).
//   key file = 64 hexadecimal digits, newline          (32 bytes; nothing before, between or after)
//
// The file itself (no symbolic link) is regular, belongs to the effective user, and its mode gives no rights to group and others.
#pragma once

#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/io/secure_channel.hpp"

namespace rollcall::io {

// The path of the file: `environment` (ROLLCALL_KEY_FILE of the environment), else `lsf_conf` (the parameter of that name in
// lsf.conf), else HOME/.rollcall/key. An empty value counts as none. Pure.
std::string key_file_path(const std::optional<std::string>& environment,
                          const std::optional<std::string>& lsf_conf, const std::string& home);

// The key in the file `path`. The error is one line: the file, what was found, what was expected. It never contains a byte of the
// file.
Result<Key> load_key(const std::string& path);

// The same for pam: makes a missing file with a random key, and its directory (mode 0700, one level). For root every directory on
// the way must belong to root, be writable by root alone or have the sticky bit, and be no symbolic link: a user's HOME is
// refused. Programs that do this at the same moment get the same key.
Result<Key> load_or_create_key(const std::string& path);

}  // namespace rollcall::io
