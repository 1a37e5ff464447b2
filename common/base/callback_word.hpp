// The callback of a TaskStarter as one word, for launchers that carry one word before the program. Functions of values.
//
//   word  = "pam:" value *("@" letter ":" value)       pam:n1,10.77.0.1:42740@c:/opt/lsf/conf@a:LINUX86
//   value = *(plain | "%" 2HEXDIG)                     plain: letters, digits and , . : / _ + = -
//
// The first value is that of -p, and a letter that of the option of this name: only pam and TaskStarter know what the values
// mean. No shell splits or expands such a word.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rollcall {

// An option's letter and its value, in order.
using CallbackWords = std::vector<std::pair<char, std::string>>;

// The first pair is that of 'p'.
std::string join_callback(const CallbackWords& words);

// Whether `word` begins with "pam:"; the rest is not checked.
bool is_callback_word(std::string_view word);

// The inverse of join_callback; none where the word does not follow the grammar above.
std::optional<CallbackWords> split_callback(std::string_view word);

}  // namespace rollcall
