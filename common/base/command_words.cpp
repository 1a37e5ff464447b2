#include "common/base/command_words.hpp"

#include <algorithm>

#include "common/base/host_list.hpp"

namespace rollcall {
namespace {

const CommandOption* find(const CommandShape& shape, const std::string& name) {
  const auto same = [&name](const CommandOption& option) { return option.name == name; };
  const auto found = std::find_if(shape.options.begin(), shape.options.end(), same);
  return found == shape.options.end() ? nullptr : &*found;
}

// Why the command refuses LSF's option `word`; nothing where it does not refuse an option of this name.
std::optional<std::string> refusal_of(const CommandShape& shape, const std::string& word) {
  for (const auto& refused : shape.refused)
    if ((" " + refused.names + " ").find(" " + word + " ") != std::string::npos)
      return word + ": " + refused.why;
  return std::nullopt;
}

std::string names_of(const CommandShape& shape) {
  std::string names;
  for (const auto& option : shape.options) names += (names.empty() ? "" : " ") + option.name;
  return names;
}

// Splits "-aJ" into -a and -J where the command has both and no option -aJ. Returns all but the last, which becomes `last`.
// Empty where `word` is not of this form. People and programs write so, whatever LSF's manuals say.
std::vector<std::string> joined_letters(const CommandShape& shape, const std::string& word,
                                        std::string& last) {
  std::vector<std::string> letters;
  if (find(shape, word) != nullptr || word.size() < 3) return letters;
  for (const char letter : word.substr(1)) {
    const CommandOption* option = find(shape, std::string("-") + letter);
    const bool is_last = letters.size() + 2 == word.size();
    if (option == nullptr || (option->value == CommandOption::Value::required && !is_last)) return {};
    letters.push_back(option->name);
  }
  last = letters.back();
  letters.pop_back();
  return letters;
}

// -R"select[CN]": an option of one letter with its value behind it. Programs write so.
const CommandOption* with_value(const CommandShape& shape, const std::string& word) {
  const CommandOption* option = find(shape, word.substr(0, 2));
  return option != nullptr && option->value == CommandOption::Value::required ? option : nullptr;
}

// "WORD" of "WORD meaning".
std::string value_word(const CommandOption& option) {
  return option.meaning.substr(0, option.meaning.find(' '));
}

}  // namespace

Result<CommandWords> CommandWords::parse(const CommandShape& shape, const std::vector<std::string>& words) {
  CommandWords parsed;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool ends = word == "--";
    const bool operand = word.size() < 2 || word[0] != '-';
    if (ends || (operand && shape.order == CommandShape::Order::first)) {
      parsed.operands_.insert(parsed.operands_.end(), words.begin() + static_cast<std::ptrdiff_t>(i + ends),
                              words.end());
      break;
    }
    if (operand) {
      parsed.operands_.push_back(word);
      continue;
    }
    // Before letters are taken apart: -ss is not -s twice.
    if (const auto refused = refusal_of(shape, word)) return usage_error(*refused);
    std::string last = word;
    for (const auto& joined : joined_letters(shape, word, last)) parsed.given_.emplace_back(joined, "");
    const CommandOption* option = find(shape, last);
    if (const CommandOption* letter = option ? nullptr : with_value(shape, word)) {
      parsed.given_.emplace_back(letter->name, word.substr(2));
      continue;
    }
    if (!option)
      return usage_error("found the option " + printable(word) + ", expected one of " + names_of(shape));
    std::string value;
    if (option->value == CommandOption::Value::required) {
      if (i + 1 == words.size())
        return usage_error(last + ": found nothing behind it, expected " + value_word(*option));
      value = words[++i];
    }
    parsed.given_.emplace_back(last, std::move(value));
  }
  // Programs pass an empty word where they have nothing to say: lsid "".
  if (shape.operands.empty()) std::erase(parsed.operands_, "");
  if (shape.operands.empty() && !parsed.operands_.empty())
    return usage_error("found " + printable(parsed.operands_.front()) + ", expected options alone");
  return parsed;
}

bool CommandWords::has(std::string_view option) const { return value(option).has_value(); }

std::optional<std::string> CommandWords::value(std::string_view option) const {
  for (auto given = given_.rbegin(); given != given_.rend(); ++given)
    if (given->first == option) return given->second;
  return std::nullopt;
}

std::vector<std::string> CommandWords::values(std::string_view option) const {
  std::vector<std::string> all;
  for (const auto& [name, value] : given_)
    if (name == option) all.push_back(value);
  return all;
}

std::string usage_text(const CommandShape& shape) {
  std::string text = "Usage: " + shape.name + " [options]" + (shape.operands.empty() ? "" : " ") +
                     shape.operands + "\n" + shape.summary + "\n\n";
  for (const auto& option : shape.options) {
    const bool valued = option.value == CommandOption::Value::required;
    const std::string left = "  " + option.name + (valued ? " " + value_word(option) : "");
    const std::string meaning =
        valued ? option.meaning.substr(value_word(option).size() + 1) : option.meaning;
    text += left + std::string(left.size() < 20 ? 20 - left.size() : 1, ' ') + meaning + "\n";
  }
  std::string refused;
  for (const auto& some : shape.refused) refused += " " + some.names;
  return refused.empty() ? text
                         : text + "\nOptions of LSF's that are refused, with the reason:" + refused + "\n";
}

}  // namespace rollcall
