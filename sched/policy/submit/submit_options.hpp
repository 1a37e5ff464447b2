// submit_options: the table of options of bsub and bmod, and the parser that splits a command line or a #BSUB line by it.
//
// The table says which options exist, which take a value, which exclude one another, and which fields of a Submission they change.
// submit_apply.cpp applies the values. Options of LSF without support in this release are in the table too, so that they are
// refused by name. Rules: bsub(1), bmod(1). The grammar is at the top of submit_options.cpp.
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

// ModifyJobs.fields: field numbers of Submission; those of Limits plus this number.
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
  OptionFields fields;     // of Submission that it sets; none: bmod lacks the option
  Result<void> (*apply)(Draft&, const std::string&, const SubmitContext&) = nullptr;
  std::string_view meaning;    // a line of the usage text: "WORD meaning"
  std::string_view not_there;  // why it is refused; "": it is accepted
  bool adds = false;           // may be given several times: the values add up
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
// Errors: an unknown or unsupported option, an option without its value, other words on a #BSUB line.
Result<SplitWords> split_submit_words(const std::vector<std::string>& words, SubmitForm form,
                                      const std::string& where = {});

// The usage text of -h.
std::string submit_usage();

}  // namespace rollcall::sched::submit
