// The options of bsub and bmod: one table, and the words of a command line or a #BSUB line sorted by it.
//
// What an option's value means is submit_apply.cpp's; here is which options there are, which take a value, which exclude
// one another, and which fields of a Submission they change. Options that are not there yet are in the table too: they are
// refused by name, never dropped. Rules: bsub(1), bmod(1). The grammar is at the top of submit_options.cpp.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall::sched::submit {

struct Draft;
struct SubmitContext;

// ModifyJobs.fields: numbers of Submission, and of Limits plus this.
inline constexpr int kLimitFields = 1000;

// A few numbers of fields.
class OptionFields {
 public:
  constexpr OptionFields() = default;
  constexpr OptionFields(std::initializer_list<int> numbers) {
    for (const int number : numbers) numbers_.at(count_++) = number;
  }
  constexpr const int* begin() const { return numbers_.data(); }
  constexpr const int* end() const { return numbers_.data() + count_; }
  constexpr bool empty() const { return count_ == 0; }

 private:
  std::array<int, 4> numbers_{};
  std::size_t count_ = 0;
};

struct SubmitOption {
  std::string_view name;  // with its dash
  enum class Value { none, required } value = Value::none;
  std::string_view group;  // options of one group replace one another: "-o" of -o and -oo
  OptionFields fields;     // of Submission that it sets; none: bmod does not have it
  Result<void> (*apply)(Draft&, const std::string&, const SubmitContext&) = nullptr;
  std::string_view meaning;    // a line of the usage text: "WORD meaning"
  std::string_view not_there;  // why it is refused; "": it is not
  bool adds = false;           // given again it adds to what was said
};
std::span<const SubmitOption> submit_options();

struct OptionUse {
  const SubmitOption* option = nullptr;
  std::string value;
  std::string where;   // "", or "line 4: " of a script
  bool reset = false;  // bmod -Xn
};

struct SplitWords {
  std::vector<OptionUse> options;
  std::vector<std::string> operands;
};
enum class SubmitForm { bsub, script_line, bmod };
// Errors: an option that nobody has or that is not there yet, one without its value, words behind the options of a script
// line.
Result<SplitWords> split_submit_words(const std::vector<std::string>& words, SubmitForm form,
                                      const std::string& where = {});

// What -h prints.
std::string submit_usage();

}  // namespace rollcall::sched::submit
