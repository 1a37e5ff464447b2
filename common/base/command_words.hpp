// CommandWords: the words of an LSF command line, sorted into options and operands. A value.
//
// LSF's options have one dash and whole words ("-l", "-gpuload", "-json"), and take their value from the next word. Single
// letters may be joined ("-aw", "-aJ name"), and a value to its letter ("-Rmem"), where the command has no option of that
// name. It does not know what an option means; a command's table says which there are.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall {

struct CommandOption {
  std::string name;  // with its dash
  enum class Value { none, required } value = Value::none;
  std::string meaning;  // one line of the usage text; of an option with a value "WORD meaning"
};

// Options that LSF's command has and this one has not, and why: it refuses them by name. Nobody learns from "unknown option"
// whether a word is misspelt or a thing is not there.
struct RefusedOptions {
  std::string names;  // blanks between them
  std::string why;
};

struct CommandShape {
  std::string name;
  std::string operands;  // as the usage line shows them: "[host ...]"; empty: the command takes none
  std::vector<CommandOption> options;
  enum class Order {
    anywhere,  // options may stand behind operands
    first      // the first operand ends the options: the rest is another program's
  } order = Order::anywhere;
  std::string summary;  // one line
  std::vector<RefusedOptions> refused = {};
};

class CommandWords {
 public:
  // The words behind the command's own name. "--" ends the options, "-" is an operand. Errors (usage): an option the
  // command does not have or refuses, one without its value, an operand where it takes none.
  static Result<CommandWords> parse(const CommandShape& shape, const std::vector<std::string>& words);

  bool has(std::string_view option) const;
  // The last value that was given.
  std::optional<std::string> value(std::string_view option) const;
  // All of them, in order.
  std::vector<std::string> values(std::string_view option) const;
  const std::vector<std::string>& operands() const { return operands_; }

 private:
  std::vector<std::pair<std::string, std::string>> given_;
  std::vector<std::string> operands_;
};

// What -h prints: the synopsis, a line for each option, and the names of those that are refused.
std::string usage_text(const CommandShape& shape);

}  // namespace rollcall
