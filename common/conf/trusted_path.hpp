// trusted_path: whether root may believe what lies at a path. Pure rules; common/io/root_trust.hpp looks at the file system.
//
// A path can be believed where nobody but root, or an owner whom root has named, can change what it leads to: each directory
// on the way belongs to such an owner, and nobody else may write it. In a directory that many may write but that is sticky, as /tmp
// is, a directory of such an owner can be neither replaced nor moved. Links say where the way goes on, and are judged by the
// directory that they are in.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall::conf {

// One step of a path that was followed from /. Each directory comes before what is in it.
struct PathPart {
  enum class Kind { directory, link, other };
  std::string path;  // absolute, without links
  std::uint32_t owner = 0, group = 0, mode = 0;
  Kind kind = Kind::directory;
};

struct TrustedOwners {
  std::set<std::uint32_t> users{0}, groups{0};
};

// "" where the last part can be believed; else the first part that spoils it: "/opt/lsf: belongs to user 1000, expected root".
std::string untrusted_part(const std::vector<PathPart>& way, const TrustedOwners& owners);

// The file of root's that names further owners:
//   file = ( [ ( "user" | "group" ) BLANKS NAME-OR-NUMBER ] [ "#" COMMENT ] "\n" )*
struct TrustedNames {
  std::vector<std::string> users, groups;
};
Result<TrustedNames> parse_trusted_owners(std::string_view text, const std::string& path);

}  // namespace rollcall::conf
