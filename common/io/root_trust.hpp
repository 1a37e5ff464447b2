// root_trust: checks what root may execute and read on this host, by common/conf/trusted_path.hpp. Functions; they use the file
// system and may hang with it.
//
// Only processes of root are checked: another user's daemon has no power that somebody could abuse. Trusted owners besides root
// are named in /etc/rollcall/trusted_owners, a file of root's. docs/decisions/0046.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/conf/cluster_files.hpp"
#include "common/conf/trusted_path.hpp"
#include "common/io/descriptor.hpp"

namespace rollcall::io {

inline constexpr const char* kTrustedOwnersFile = "/etc/rollcall/trusted_owners";

struct RootTrust {
  bool root = false;  // false: no checks
  conf::TrustedOwners owners;
  std::vector<std::string> notes;  // the file's effect, one line each, for the log
};
// An error where the file is malformed, names an unknown user or group, or is itself not trusted.
Result<RootTrust> read_root_trust(const std::string& file = kTrustedOwnersFile);

// The same as daemons of root have it, whoever asks. `number_of` knows users and groups: a static program cannot use getpwnam().
struct NumberOf {
  std::function<std::optional<std::uint32_t>(const std::string&name)> user, group;
};
Result<RootTrust> read_trust_of_root(const NumberOf& number_of, const std::string& file = kTrustedOwnersFile);
// True if root runs the cluster's daemons: its key is root's. Without a key it is who asks.
bool root_has_daemons(const conf::LoadSettings& settings);

// The steps of a path, links followed, as far as it exists.
Result<std::vector<conf::PathPart>> path_parts(const std::string& path);

// An error where others could change what is at `path` now. "": not checked. `what_for` ends the line.
Result<void> check_trust(const RootTrust& trust, const std::string& path, const std::string& what_for);

// Why root's daemons refuse to start, a line for each owner and mode: the cluster's files with their directories, LSF_SERVERDIR, and
// `more`, as pairs of a path and the parameter that names it. Empty: they take all of it.
using NamedPath = std::pair<std::string, std::string>;
std::vector<std::string> untrusted_paths(const RootTrust& trust, const conf::LoadSettings& settings,
                                         const std::vector<NamedPath>& more);
// The first of these lines, of root's daemon and its own program.
Result<RootTrust> check_daemon_trust(const conf::LoadSettings& settings,
                                     const std::vector<NamedPath>& more = {});

// Opens a program to be executed by descriptor, once its path and the open file are checked.
Result<Descriptor> open_trusted_program(const RootTrust& trust, const std::string& path);

}  // namespace rollcall::io
