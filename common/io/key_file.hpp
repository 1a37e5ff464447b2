// The key file: the user's secret that lets a pam and its TaskStarters know each other.
//
// Not a key of a connection (secure_channel.hpp makes those from it), and not shared between users: a file
// that another could have read or written is no secret, and is refused. Owned by the user; pam makes it on
// first use, TaskStarter only reads it (on the task's host, through the shared home directory or a copy the
// site made).
//
//   key file = 64 hexadecimal digits, newline          (32 bytes; nothing before, between or after)
//
// The file itself (no symbolic link) is a regular one, belongs to the effective user, and its mode gives the
// group and others nothing.
#pragma once

#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/io/secure_channel.hpp"

namespace rollcall::io {

// Which file it is: `environment` (ROLLCALL_KEY_FILE of the environment), else `lsf_conf` (the parameter of
// that name in lsf.conf), else HOME/.rollcall/key. An empty value counts as none. Pure.
std::string key_file_path(const std::optional<std::string>& environment,
                          const std::optional<std::string>& lsf_conf, const std::string& home);

// The key in the file `path`. Errors (one line: the file, what was found, what was expected): there is none,
// it cannot be read, it is not as said above. The line never holds a byte of the file.
Result<Key> load_key(const std::string& path);

// The same for pam: where there is no such file, one with a random key is made, and its directory (mode 0700,
// one level) where that is missing too. For root every directory on the way belongs to root, is writable by root alone or
// has the sticky bit, and is no symbolic link: a user's HOME is refused. Programs that do this at the same moment get the same key.
Result<Key> load_or_create_key(const std::string& path);

}  // namespace rollcall::io
