// The grammar is at the top of parse.cpp.
#include "common/resreq/parse_select.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace rollcall::resreq {
namespace {

struct Symbol {
  Operator op;
  std::string_view text;
  int level;
};
// A longer symbol stands before its prefix: ">=" before ">".
constexpr std::array<Symbol, 13> kBinary{{{Operator::either, "||", 0},
                                          {Operator::both, "&&", 1},
                                          {Operator::equal, "==", 2},
                                          {Operator::unequal, "!=", 2},
                                          {Operator::at_least, ">=", 3},
                                          {Operator::at_most, "<=", 3},
                                          {Operator::fits, "=", 2},
                                          {Operator::above, ">", 3},
                                          {Operator::below, "<", 3},
                                          {Operator::plus, "+", 4},
                                          {Operator::minus, "-", 4},
                                          {Operator::times, "*", 5},
                                          {Operator::over, "/", 5}}};

constexpr std::array<std::string_view, 7> kSections{"select", "order", "rusage",  "span",
                                                    "same",   "cu",    "affinity"};

ExpressionPointer make(decltype(Expression::node) node, std::size_t place) {
  return std::make_shared<const Expression>(Expression{std::move(node), {place}});
}

// In the word after "hname ==" or behind "=" of the old syntax.
bool continues_word(char c) { return continues_name(c) || c == '-'; }

// Built-in strings: the word behind "==" needs no quotes for its '-'.
bool string_name(const Expression& expression) {
  const auto* name = std::get_if<Name>(&expression.node);
  return name && (name->value == "hname" || name->value == "type" || name->value == "model" ||
                  name->value == "status");
}

bool compares_words(Operator op) {
  return op == Operator::equal || op == Operator::unequal || op == Operator::fits;
}

// The later syntax, by recursion: at most seven calls for each of kDeepestNesting levels.
class Expressions {
 public:
  Expressions(Cursor& in, const Syntax& syntax) : in_(in), syntax_(syntax) {}

  ExpressionPointer chain(int level) {
    if (level == kUnaryLevel) return unary();
    const std::size_t begin = in_.place();
    ExpressionPointer first = chain(level + 1);
    Chain result;
    while (!in_.failed()) {
      const auto op = take_operator(level);
      if (!op) break;
      const Expression& left = result.rest.empty() ? *first : *result.rest.back().operand;
      ExpressionPointer right;
      if (compares_words(*op) && string_name(left)) right = host_word();
      if (!right) right = chain(level + 1);
      result.rest.push_back({*op, std::move(right)});
    }
    if (in_.failed() || result.rest.empty()) return first;
    result.first = std::move(first);
    return make(std::move(result), begin);
  }

 private:
  std::optional<Operator> take_operator(int level) {
    in_.skip_blanks();
    const std::string_view rest = in_.text().substr(in_.place());
    for (const Symbol& symbol : kBinary) {
      if (!rest.starts_with(symbol.text)) continue;
      if (symbol.level != level) return std::nullopt;
      if (symbol.op == Operator::fits && syntax_.strict) {
        in_.fail("\"==\"");
        return std::nullopt;
      }
      in_.take(symbol.text);
      return symbol.op;
    }
    return std::nullopt;
  }

  ExpressionPointer unary() {
    in_.skip_blanks();
    const std::size_t begin = in_.place();
    const bool minus = in_.peek() == '-';
    if (!minus && (in_.peek() != '!' || in_.peek(1) == '=')) return primary();
    if (!deeper()) return nullptr;
    in_.take(minus ? "-" : "!");
    ExpressionPointer operand = unary();
    --depth_;
    if (in_.failed()) return nullptr;
    return make(Unary{minus ? Operator::negate : Operator::no, std::move(operand)}, begin);
  }

  ExpressionPointer primary() {
    const std::size_t begin = in_.place();
    if (in_.peek() == '(') return parentheses();
    if (auto number = in_.take_number()) return make(std::move(*number), begin);
    if (auto quoted = in_.take_quoted()) return make(Text{std::move(*quoted)}, begin);
    if (!in_.failed())
      if (const auto name = in_.take_name())
        return *name == "defined" ? defined(begin) : make(Name{std::string(*name)}, begin);
    in_.fail("a resource, a number or \"(\"");
    return nullptr;
  }

  ExpressionPointer parentheses() {
    if (!deeper()) return nullptr;
    in_.take("(");
    ExpressionPointer inside = chain(0);
    if (!in_.failed() && in_.expect(")")) --depth_;
    return inside;
  }

  ExpressionPointer defined(std::size_t begin) {
    if (!in_.expect("(")) return nullptr;
    const auto name = in_.take_name();
    if (!name) in_.fail("the name of a resource");
    if (in_.failed() || !in_.expect(")")) return nullptr;
    return make(Defined{std::string(*name)}, begin);
  }

  // host-1 in hname==host-1: a word with '-' or with a digit first. Nothing where it is a plain name or a number.
  ExpressionPointer host_word() {
    if (syntax_.strict) return nullptr;
    const std::size_t begin = in_.place();
    std::size_t length = 0;
    while (continues_word(in_.peek(length))) ++length;
    const std::string_view word = in_.text().substr(begin, length);
    if (length == 0 || word[0] == '-' || plain_name(word) || whole_number_word(word)) return nullptr;
    in_.go_to(begin + length);
    return make(Text{std::string(word)}, begin);
  }

  bool deeper() {
    return ++depth_ <= kDeepestNesting ||
           in_.fail("at most " + std::to_string(kDeepestNesting) + " levels of parentheses, \"!\" and \"-\"");
  }

  Cursor& in_;
  const Syntax syntax_;
  int depth_ = 0;
};

// r15m=1.5:mem=20:swp=12:-aix. Only a whole text is read as old syntax. The parser has a cursor of its own: a text that
// is not old syntax leaves no error behind.
class OldSyntax {
 public:
  explicit OldSyntax(const Cursor& in) : in_(in) {}

  // Null for a text that is not old syntax; else `in` stands behind the text.
  ExpressionPointer read(Cursor& in) {
    const std::size_t begin = in_.place();
    bool old = in_.peek() == '-';  // a single name is both: later syntax
    Chain items;
    items.first = next(old);
    while (items.first && in_.peek() == ':') {
      old = true;
      in_.go_to(in_.place() + 1);
      items.rest.push_back({Operator::both, next(old)});
      if (!items.rest.back().operand) return nullptr;
    }
    in_.skip_blanks();
    const bool whole = in_.at_end() || in_.peek() == ']' || !section_here(in_).empty();
    if (!items.first || !old || !whole) return nullptr;
    in = in_;
    return items.rest.empty() ? items.first : make(std::move(items), begin);
  }

 private:
  ExpressionPointer next(bool& old) {
    const std::size_t begin = in_.place();
    const bool refused = in_.peek() == '-';
    if (refused) in_.go_to(begin + 1);
    const std::size_t name_place = in_.place();
    const auto name = in_.take_name();
    if (!name) return refused ? any_type(begin) : nullptr;
    ExpressionPointer item = make(Name{std::string(*name)}, name_place);
    if (in_.peek() == '=') {
      old = true;
      in_.go_to(in_.place() + 1);
      ExpressionPointer wanted = value();
      if (!wanted) return nullptr;
      item = make(Chain{item, {{Operator::fits, std::move(wanted)}}}, name_place);
    }
    return refused ? make(Unary{Operator::no, std::move(item)}, begin) : item;
  }

  // A lone "-".
  static ExpressionPointer any_type(std::size_t place) {
    return make(Chain{make(Name{"type"}, place), {{Operator::equal, make(Name{"any"}, place)}}}, place);
  }

  ExpressionPointer value() {
    const std::size_t begin = in_.place();
    if (auto quoted = in_.take_quoted()) return make(Text{std::move(*quoted)}, begin);
    std::size_t length = 0;
    while (continues_word(in_.peek(length))) ++length;
    const std::string_view word = in_.text().substr(begin, length);
    if (length == 0 || word[0] == '-') return nullptr;
    in_.go_to(begin + length);
    if (plain_name(word)) return make(Name{std::string(word)}, begin);
    if (auto number = whole_number_word(word)) return make(std::move(*number), begin);
    return make(Text{std::string(word)}, begin);
  }

  Cursor in_;
};

int child_nesting(const Expression& child, int parent_level) {
  const auto* chain = std::get_if<Chain>(&child.node);
  const bool parentheses = chain && level(chain->rest.front().op) <= parent_level;
  return nesting(child) + (parentheses ? 1 : 0);
}

}  // namespace

std::string_view text(Operator op) {
  if (op == Operator::negate) return "-";
  if (op == Operator::no) return "!";
  return std::find_if(kBinary.begin(), kBinary.end(), [op](const Symbol& s) { return s.op == op; })->text;
}

int level(Operator op) {
  if (op == Operator::negate || op == Operator::no) return kUnaryLevel;
  return std::find_if(kBinary.begin(), kBinary.end(), [op](const Symbol& s) { return s.op == op; })->level;
}

int nesting(const Expression& expression) {
  if (const auto* unary = std::get_if<Unary>(&expression.node))
    return 1 + child_nesting(*unary->operand, kUnaryLevel);
  const auto* chain = std::get_if<Chain>(&expression.node);
  if (!chain) return 0;
  const int own = level(chain->rest.front().op);
  int deepest = child_nesting(*chain->first, own);
  for (const auto& link : chain->rest) deepest = std::max(deepest, child_nesting(*link.operand, own));
  return deepest;
}

std::string_view section_here(const Cursor& in) {
  Cursor ahead = in;
  const auto name = ahead.take_name();
  if (!name || std::find(kSections.begin(), kSections.end(), *name) == kSections.end()) return {};
  ahead.skip_blanks();
  return ahead.peek() == '[' ? *name : std::string_view{};
}

ExpressionPointer parse_select(Cursor& in, const Syntax& syntax) {
  in.skip_blanks();
  if (in.at_end() || in.peek() == ']') return nullptr;
  ExpressionPointer select;
  if (!syntax.strict) select = OldSyntax(in).read(in);
  if (!select) select = Expressions(in, syntax).chain(0);
  in.skip_blanks();
  return in.failed() ? nullptr : select;
}

}  // namespace rollcall::resreq
