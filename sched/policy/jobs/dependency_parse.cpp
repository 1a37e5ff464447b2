// Grammar (blanks between tokens do not matter):
//
//   expression = both { "||" both }
//   both       = term { "&&" term }
//   term       = "!" term | "(" expression ")" | condition
//   condition  = job                                              which means done(job)
//              | ( "done" | "ended" | "started" | "post_done" | "post_err" ) "(" job ")"
//              | "exit" "(" job [ "," [ operator ] number ] ")"
//              | ( "numdone" | "numended" | "numexit" | "numhold" | "numpend" | "numrun" | "numstart" )
//                "(" job "," ( operator number | number | "*" ) ")"
//   job        = ( number | name ) [ "[" ( number | "*" ) "]" ]       a quoted name may have it inside the quotes instead
//   name       = '"' any but '"' '"' | "'" any but "'" "'" | letters, digits, _ . / : + - @ % and "*"
//   operator   = "==" | "=" | "!=" | ">=" | "<=" | ">" | "<"
//
// external(...) is refused: no program of this system sets external conditions.
#include <algorithm>
#include <array>
#include <charconv>

#include "sched/policy/jobs/dependency.hpp"

namespace rollcall::sched::jobs {
namespace {

constexpr std::array<std::pair<std::string_view, Condition>, 13> kConditions{{
    {"done", Condition::done},
    {"ended", Condition::ended},
    {"exit", Condition::exit},
    {"started", Condition::started},
    {"post_done", Condition::post_done},
    {"post_err", Condition::post_err},
    {"numdone", Condition::numdone},
    {"numended", Condition::numended},
    {"numexit", Condition::numexit},
    {"numhold", Condition::numhold},
    {"numpend", Condition::numpend},
    {"numrun", Condition::numrun},
    {"numstart", Condition::numstart},
}};

constexpr std::array<std::pair<std::string_view, Comparison>, 7> kComparisons{{
    {"==", Comparison::equal},
    {"!=", Comparison::unequal},
    {">=", Comparison::at_least},
    {"<=", Comparison::at_most},
    {"=", Comparison::equal},
    {">", Comparison::above},
    {"<", Comparison::below},
}};

bool counts_elements(Condition condition) { return condition >= Condition::numdone; }

bool digit(char c) { return c >= '0' && c <= '9'; }
bool of_name(char c) {
  return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("_./:+-@%*").find(c) != std::string_view::npos;
}

}  // namespace

std::string_view text(Comparison comparison) {
  for (const auto& [word, value] : kComparisons)
    if (value == comparison) return word;
  return "==";
}

std::string_view text(Condition condition) { return kConditions[static_cast<std::size_t>(condition)].first; }

class DependencyParser {
 public:
  DependencyParser(std::string_view text, std::size_t longest, int deepest)
      : text_(text), longest_(longest), deepest_(deepest) {}

  Result<Dependency> parse() {
    if (text_.size() > longest_)
      return usage_error("dependency condition: found " + std::to_string(text_.size()) + " bytes, expected " +
                         std::to_string(longest_) + " at the most");
    if (!expression()) return error();
    if (!at_end()) {
      expected("\"&&\", \"||\" or the end");
      return error();
    }
    return std::move(value_);
  }

 private:
  using Kind = Dependency::Node::Kind;

  Error error() const {
    std::string found = at_ < text_.size() ? std::string(text_.substr(at_, 20)) : "";
    for (char& c : found)
      if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
    return usage_error("dependency condition, at character " + std::to_string(at_ + 1) + ": found " +
                       (found.empty() ? "the end" : "\"" + found + "\"") + ", expected " + expected_);
  }
  bool expected(std::string what) {
    if (expected_.empty()) expected_ = std::move(what);
    return false;
  }
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }
  bool at_end() {
    blanks();
    return at_ == text_.size();
  }
  bool take(std::string_view token) {
    blanks();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  bool need(std::string_view token) { return take(token) || expected("\"" + std::string(token) + "\""); }

  std::uint32_t add(Kind kind, std::uint32_t first, std::uint32_t second) {
    value_.nodes_.push_back({kind, first, second});
    return last();
  }
  std::uint32_t last() const { return static_cast<std::uint32_t>(value_.nodes_.size() - 1); }

  bool expression() {
    if (!both()) return false;
    std::uint32_t left = last();
    while (take("||")) {
      if (!both()) return false;
      left = add(Kind::either, left, last());
    }
    return true;
  }
  bool both() {
    if (!term()) return false;
    std::uint32_t left = last();
    while (take("&&")) {
      if (!term()) return false;
      left = add(Kind::both, left, last());
    }
    return true;
  }
  bool term() {
    if (depth_ == deepest_)
      return expected(std::to_string(deepest_) + " parentheses and \"!\" inside one another at the most");
    ++depth_;
    const bool good = nested();
    --depth_;
    return good;
  }
  bool nested() {
    if (take("!")) {
      if (!term()) return false;
      add(Kind::no, last(), 0);
      return true;
    }
    if (take("(")) return expression() && need(")");
    return condition();
  }

  bool condition() {
    if (value_.conditions_.size() == kMostConditions)
      return expected(std::to_string(kMostConditions) + " conditions at the most");
    blanks();
    const std::size_t start = at_;
    std::size_t end = at_;
    while (end < text_.size() && of_name(text_[end])) ++end;
    const std::string_view word = text_.substr(start, end - start);
    at_ = end;
    const bool is_call = take("(");
    JobCondition condition;
    if (!is_call) {
      at_ = start;
      if (!job(condition)) return false;
      return keep(std::move(condition));
    }
    const auto known = std::find_if(kConditions.begin(), kConditions.end(),
                                    [word](const auto& row) { return row.first == word; });
    if (known == kConditions.end()) {
      at_ = start;
      return expected(word == "external"
                          ? "a condition on jobs: external conditions are not supported"
                          : "done, ended, exit, started, post_done, post_err or num...( of a job");
    }
    condition.condition = known->second;
    if (!job(condition) || !argument(condition) || !need(")")) return false;
    return keep(std::move(condition));
  }
  bool keep(JobCondition condition) {
    value_.conditions_.push_back(std::move(condition));
    add(Kind::condition, static_cast<std::uint32_t>(value_.conditions_.size() - 1), 0);
    return true;
  }

  bool argument(JobCondition& condition) {
    const bool counts = counts_elements(condition.condition);
    if (!counts && condition.condition != Condition::exit) return true;
    if (!take(",")) return !counts || expected("\",\" and a number of elements");
    if (counts && take("*")) {
      condition.all_elements = true;
      condition.comparison = Comparison::equal;
      return true;
    }
    condition.comparison = Comparison::equal;
    for (const auto& [word, comparison] : kComparisons)
      if (take(word)) {
        condition.comparison = comparison;
        break;
      }
    blanks();
    return number(condition.number);
  }

  template <class T>
  bool number(T& value) {
    const char* const first = text_.data() + at_;
    const auto [end, failed] = std::from_chars(first, text_.data() + text_.size(), value);
    if (failed != std::errc{} || value < 0) return expected("a number");
    at_ += static_cast<std::size_t>(end - first);
    return true;
  }

  bool job(JobCondition& condition) {
    blanks();
    if (at_ == text_.size()) return expected("a job's id or name");
    if (const char quote = text_[at_]; quote == '"' || quote == '\'') {
      const std::size_t end = text_.find(quote, at_ + 1);
      if (end == std::string_view::npos || end == at_ + 1)
        return expected(std::string("a job's name and ") + quote);
      condition.name = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
      if (condition.name.ends_with(']') && !index_of_name(condition)) return false;
    } else {
      std::size_t end = at_;
      while (end < text_.size() && of_name(text_[end])) ++end;
      const std::string_view word = text_.substr(at_, end - at_);
      if (word.empty()) return expected("a job's id or name");
      if (std::all_of(word.begin(), word.end(), digit)) {
        if (!number(condition.id)) return false;
        if (condition.id == 0) return expected("a job's id");
      } else {
        condition.name = word;
        at_ = end;
      }
    }
    if (condition.each || condition.index != 0 || !take("[")) return true;
    if (take("*"))
      condition.each = true;
    else if (!number(condition.index) || condition.index == 0)
      return expected("an index or \"*\"");
    return need("]");
  }
  // "name[3]" and "name[*]" with the brackets inside the quotes. Anything else in brackets is part of the name.
  bool index_of_name(JobCondition& condition) {
    const std::size_t open = condition.name.rfind('[');
    if (open == std::string::npos || open == 0) return true;
    const std::string inside = condition.name.substr(open + 1, condition.name.size() - open - 2);
    std::int32_t index = 0;
    const auto [end, failed] = std::from_chars(inside.data(), inside.data() + inside.size(), index);
    if (inside == "*")
      condition.each = true;
    else if (failed == std::errc{} && end == inside.data() + inside.size() && index > 0)
      condition.index = index;
    else
      return true;
    condition.name.resize(open);
    return true;
  }

  std::string_view text_;
  std::size_t longest_;
  int deepest_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string expected_;
  Dependency value_;
};

Result<Dependency> Dependency::parse(std::string_view text) {
  return DependencyParser(text, kLongestDependency, kDeepestDependency).parse();
}
Result<Dependency> Dependency::parse_bound(std::string_view text) {
  return DependencyParser(text, 16 * kLongestDependency, 2 * kDeepestDependency + 2).parse();
}

}  // namespace rollcall::sched::jobs
