// Names with "*" for any text, as job names, project names and descriptions are chosen by. No other character is special.
#pragma once

#include <string_view>

namespace rollcall {

// In time linear in both texts for each piece between stars.
bool glob_matches(std::string_view pattern, std::string_view name);

}  // namespace rollcall
