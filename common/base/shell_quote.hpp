// Words printed so that a POSIX shell reads them back as the same bytes.
//
// Not a shell parser. Owned by whoever prints a command: pam --dry-run, pam -v.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rollcall {

// The word itself where no shell gives any of its bytes a meaning, else in single quotes ('it'\''s').
// A word that begins with NAME= is always quoted, so that an unquoted NAME= in our output is an assignment.
std::string shell_quote(std::string_view word);

// All words, quoted, with one blank between them.
std::string shell_join(const std::vector<std::string>& words);

}  // namespace rollcall
