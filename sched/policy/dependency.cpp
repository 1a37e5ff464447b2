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
//   job        = ( number | name ) [ "[" ( number | "*" ) "]" ]
//   name       = '"' any but '"' '"' | "'" any but "'" "'" | letters, digits, _ . / : + - @ % and "*"
//   operator   = "==" | "=" | "!=" | ">=" | "<=" | ">" | "<"
//
// external(...) is refused: nothing here sets it.
#include "sched/policy/dependency.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace rollcall::sched {
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

std::string_view text(Comparison comparison) {
  for (const auto& [word, value] : kComparisons)
    if (value == comparison) return word;
  return "==";
}

bool counts_elements(Condition condition) { return condition >= Condition::numdone; }

bool digit(char c) { return c >= '0' && c <= '9'; }
bool of_name(char c) {
  return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("_./:+-@%*").find(c) != std::string_view::npos;
}

bool compares(Comparison comparison, std::int64_t a, std::int64_t b) {
  switch (comparison) {
    case Comparison::equal:
      return a == b;
    case Comparison::unequal:
      return a != b;
    case Comparison::above:
      return a > b;
    case Comparison::below:
      return a < b;
    case Comparison::at_least:
      return a >= b;
    case Comparison::at_most:
      return a <= b;
  }
  return false;
}

// What holds now, and whether it stays so.
struct Truth {
  bool holds = false;
  bool final = false;
};

// Of a number that is `now` and may yet become anything from `least` to `most`.
Truth compared(Comparison comparison, std::int64_t now, std::int64_t least, std::int64_t most,
               std::int64_t n) {
  const bool holds = compares(comparison, now, n);
  const auto same = [&](std::int64_t value) { return compares(comparison, value, n) == holds; };
  // A comparison changes its answer at n or beside it, nowhere else.
  bool final = same(least) && same(most);
  for (const std::int64_t value : {n - 1, n, n + 1})
    if (value >= least && value <= most) final = final && same(value);
  return {holds, final};
}

}  // namespace

std::string_view text(Condition condition) { return kConditions[static_cast<std::size_t>(condition)].first; }

std::string_view text(DependencyState state) {
  switch (state) {
    case DependencyState::none:
      return "none";
    case DependencyState::satisfied:
      return "satisfied";
    case DependencyState::not_yet:
      return "not yet";
    case DependencyState::never:
      return "never";
  }
  return "none";
}

int exit_code_of_status(std::int32_t exit_status) {
  if (const int signal = exit_status & 0x7f; signal != 0) return 128 + signal;
  return (exit_status >> 8) & 0xff;
}

void count(JobTally& tally, const wire::JobRecord& record, int sign) {
  const auto add = [sign](std::uint32_t& field) {
    field = static_cast<std::uint32_t>(static_cast<int>(field) + sign);
  };
  add(tally.elements);
  const wire::JobStatus status = record.status();
  if (placed(status) && record.started()) add(tally.started);
  if (status == wire::STATUS_PSUSP)
    add(tally.hold);
  else if (pending(status))
    add(tally.pend);
  else if (status == wire::STATUS_SSUSP || status == wire::STATUS_USUSP)
    add(tally.suspended);
  else if (placed(status))
    add(tally.run);
  if (!finished(status)) return;
  if (record.post_status() == wire::POST_RUNNING) add(tally.post_open);
  if (record.post_status() == wire::POST_ERR) add(tally.post_err);
  if (status == wire::STATUS_DONE) return add(tally.done);
  add(tally.exit);
  const auto code = tally.exit_codes.try_emplace(exit_code_of_status(record.exit_status())).first;
  add(code->second);
  if (code->second == 0) tally.exit_codes.erase(code);
}

// ---------------------------------------------------------------- parsing

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
    if (!take("[")) return true;
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

bool Dependency::per_element() const {
  return std::any_of(conditions_.begin(), conditions_.end(), [](const JobCondition& c) { return c.each; });
}

// ---------------------------------------------------------------- printing

namespace {

std::string text_of(const JobCondition& condition) {
  std::string job = condition.name;
  if (job.empty()) {
    job = std::to_string(condition.id);
  } else {
    const char quote = job.find('"') == std::string::npos ? '"' : '\'';
    job = quote + job + quote;
  }
  if (condition.each)
    job += "[*]";
  else if (condition.index != 0)
    job += "[" + std::to_string(condition.index) + "]";
  std::string argument;
  if (condition.all_elements)
    argument = ", *";
  else if (condition.comparison)
    argument = ", " + std::string(text(*condition.comparison)) + " " + std::to_string(condition.number);
  return std::string(text(condition.condition)) + "(" + job + argument + ")";
}

}  // namespace

// `strength`: of what stands round it: 0 nothing, 1 "||", 2 "&&", 3 "!". Left operands need no parentheses of their own
// kind, right ones do: a || (b || c) is another tree.
std::string Dependency::text_of(std::uint32_t node, int strength) const {
  const Node& n = nodes_[node];
  switch (n.kind) {
    case Node::Kind::condition:
      return sched::text_of(conditions_[n.first]);
    case Node::Kind::no:
      return "!" + text_of(n.first, 3);
    default:
      break;
  }
  const bool is_both = n.kind == Node::Kind::both;
  const int own = is_both ? 2 : 1;
  std::string inside = text_of(n.first, own) + (is_both ? " && " : " || ") + text_of(n.second, own + 1);
  return strength > own ? "(" + inside + ")" : inside;
}

std::string Dependency::text() const {
  return nodes_.empty() ? "" : text_of(static_cast<std::uint32_t>(nodes_.size() - 1), 0);
}

// ---------------------------------------------------------------- binding

Result<Dependency> Dependency::bound(const Ids& ids, const Known& known) const {
  Dependency result;
  result.nodes_.reserve(nodes_.size());
  std::vector<std::uint32_t> place(nodes_.size());  // of a node of ours in the result
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node node = nodes_[i];
    if (node.kind != Node::Kind::condition) {
      node.first = place[node.first];
      if (node.kind != Node::Kind::no) node.second = place[node.second];
      result.nodes_.push_back(node);
      place[i] = static_cast<std::uint32_t>(result.nodes_.size() - 1);
      continue;
    }
    JobCondition condition = conditions_[node.first];
    std::vector<std::int32_t> meant{condition.id};
    if (!condition.name.empty()) {
      meant = ids(condition.name);
      if (meant.empty()) return usage_error(condition.name + ": No matching job found");
      if (condition.name.find('*') == std::string::npos) meant.resize(1);
    } else if (!known(condition.id)) {
      return usage_error("Job <" + std::to_string(condition.id) + "> is not found");
    }
    condition.name.clear();
    for (std::size_t k = 0; k < meant.size(); ++k) {
      if (result.conditions_.size() == kMostConditions)
        return usage_error("dependency condition: found more than " + std::to_string(kMostConditions) +
                           " jobs, expected fewer");
      condition.id = meant[k];
      result.conditions_.push_back(condition);
      result.nodes_.push_back(
          {Node::Kind::condition, static_cast<std::uint32_t>(result.conditions_.size() - 1), 0});
      const auto here = static_cast<std::uint32_t>(result.nodes_.size() - 1);
      if (k > 0) result.nodes_.push_back({Node::Kind::both, place[i], here});
      place[i] = static_cast<std::uint32_t>(result.nodes_.size() - 1);
    }
  }
  return result;
}

// ---------------------------------------------------------------- evaluating

class DependencyEvaluation {
 public:
  DependencyEvaluation(const Dependency& dependency, std::int32_t index, const JobFacts& facts)
      : dependency_(dependency), index_(index), facts_(facts) {}

  // Operands stand before what is made of them, so one walk in the order of the vector is enough.
  DependencyState state() {
    using Kind = Dependency::Node::Kind;
    std::vector<Truth> truths;
    truths.reserve(dependency_.nodes_.size());
    for (const auto& node : dependency_.nodes_) switch (node.kind) {
        case Kind::condition:
          truths.push_back(truth(dependency_.conditions_[node.first]));
          break;
        case Kind::no: {
          const Truth a = truths[node.first];
          truths.push_back({!a.holds, a.final});
          break;
        }
        case Kind::both:
          truths.push_back(joined(truths[node.first], truths[node.second], false));
          break;
        case Kind::either:
          truths.push_back(joined(truths[node.first], truths[node.second], true));
          break;
      }
    const Truth all = truths.back();
    return all.holds   ? DependencyState::satisfied
           : all.final ? DependencyState::never
                       : DependencyState::not_yet;
  }

 private:
  // `decides`: the value of one operand that settles the answer: true for "||", false for "&&".
  static Truth joined(Truth a, Truth b, bool decides) {
    const bool holds = decides ? a.holds || b.holds : a.holds && b.holds;
    const bool settled = (a.final && a.holds == decides) || (b.final && b.holds == decides);
    return {holds, settled || (a.final && b.final)};
  }

  Truth truth(const JobCondition& condition) const {
    const JobTally* whole = facts_.tally(condition.id);
    if (!whole) return {false, true};
    const std::int32_t index = condition.each ? index_ : condition.index;
    if (index == 0) return truth(condition, *whole);
    const Job* element = facts_.find({condition.id, index});
    if (!element) return {false, true};
    JobTally one;
    count(one, element->record, 1);
    return truth(condition, one);
  }

  static Truth truth(const JobCondition& c, const JobTally& t) {
    const std::int64_t all = t.elements;
    const std::int64_t open = all - t.finished();
    const std::int64_t n = c.all_elements ? all : c.number;
    // Of a number that only grows; of one that comes and goes.
    const auto grows = [&](std::int64_t now, std::int64_t more) {
      return compared(c.comparison.value_or(Comparison::equal), now, now, now + more, n);
    };
    const auto moves = [&](std::int64_t now) {
      return compared(c.comparison.value_or(Comparison::equal), now, 0, open, n);
    };
    // Every element must have come there.
    const auto every = [&](std::int64_t there, std::int64_t more) {
      return compared(Comparison::equal, there, there, there + more, all);
    };
    switch (c.condition) {
      case Condition::done:
        return every(t.done, open);
      case Condition::ended:
        return every(t.finished(), open);
      case Condition::exit:
        return every(exits(c, t), open);
      case Condition::started:
        return every(t.started + t.finished(), all - t.started - t.finished());
      case Condition::post_done:
        return every(std::int64_t{t.finished()} - t.post_open - t.post_err, open + t.post_open);
      case Condition::post_err:
        return every(t.post_err, open + t.post_open);
      case Condition::numdone:
        return grows(t.done, open);
      case Condition::numended:
        return grows(t.finished(), open);
      case Condition::numexit:
        return grows(t.exit, open);
      case Condition::numhold:
        return moves(t.hold);
      case Condition::numpend:
        return moves(t.pend);
      case Condition::numrun:
        return moves(t.run);
      case Condition::numstart:
        return moves(std::int64_t{t.run} + t.suspended);
    }
    return {false, true};
  }

  static std::int64_t exits(const JobCondition& c, const JobTally& t) {
    if (!c.comparison) return t.exit;
    std::int64_t number = 0;
    for (const auto& [code, elements] : t.exit_codes)
      if (compares(*c.comparison, code, c.number)) number += elements;
    return number;
  }

  const Dependency& dependency_;
  std::int32_t index_;
  const JobFacts& facts_;
};

DependencyState evaluate(const Dependency& dependency, std::int32_t index, const JobFacts& facts) {
  if (dependency.empty()) return DependencyState::none;
  return DependencyEvaluation(dependency, index, facts).state();
}

}  // namespace rollcall::sched
