// root_trust: checks what root may execute and read on this host, by common/conf/trusted_path.hpp. Functions; they use the file
// system and may hang with it.
//
// Only processes of root are checked: another user's daemon has no power that somebody could abuse. Trusted owners besides root
// are named in /etc/rollcall/trusted_owners, a file of root's. docs/decisions/0046.
#pragma once

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

// The steps of a path, links followed, as far as it exists.
Result<std::vector<conf::PathPart>> path_parts(const std::string& path);

// An error where others could change what is at `path` now. "": not checked. `what_for` ends the line.
Result<void> check_trust(const RootTrust& trust, const std::string& path, const std::string& what_for);

// Checks what root's daemon reads from its start on: the cluster's files with their directories, LSF_SERVERDIR, its own program,
// and `more`, as pairs of a path and the parameter that names it.
using NamedPath = std::pair<std::string, std::string>;
Result<RootTrust> check_daemon_trust(const conf::LoadSettings& settings,
                                     const std::vector<NamedPath>& more = {});

// Opens a program to be executed by descriptor, once its path and the open file are checked.
Result<Descriptor> open_trusted_program(const RootTrust& trust, const std::string& path);

}  // namespace rollcall::io
