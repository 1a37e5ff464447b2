// trusted_path: whether root may trust the file at a path. Pure rules; common/io/root_trust.hpp looks at the file system.
//
// A path is trusted if only root, or an owner whom root has named, can change what it leads to: each directory on the way belongs
// to such an owner, and nobody else may write to it. In a sticky directory that others may write to, such as /tmp, a directory of
// a trusted owner can be neither replaced nor moved. A link is judged by the directory it is in; the path continues at its
// target.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall::conf {

// One step of a path followed from /. A directory comes before what is in it.
struct PathPart {
  enum class Kind { directory, link, other };
  std::string path;  // absolute, without links
  std::uint32_t owner = 0, group = 0, mode = 0;
  Kind kind = Kind::directory;
};

struct TrustedOwners {
  std::set<std::uint32_t> users{0}, groups{0};
};

// "" where the path is trusted; else the first part that is not: "/opt/lsf: belongs to user 1000, expected root".
std::string untrusted_part(const std::vector<PathPart>& way, const TrustedOwners& owners);

// Root's file that names further owners:
//   file = ( [ ( "user" | "group" ) BLANKS NAME-OR-NUMBER ] [ "#" COMMENT ] "\n" )*
struct TrustedNames {
  std::vector<std::string> users, groups;
};
Result<TrustedNames> parse_trusted_owners(std::string_view text, const std::string& path);

}  // namespace rollcall::conf
