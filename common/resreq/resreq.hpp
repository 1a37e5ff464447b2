// ResReq: a resource requirement string: select, order, rusage, span, same, cu, affinity. A value with a parser and a
// printer that are each other's inverse.
//
// It is not a scheduler: it says whether one host fits and how hosts are ordered (evaluate.hpp); what rusage, span,
// same, cu and affinity mean for a job is the scheduler's. Names are not checked while parsing (a string can be meant
// for another cluster): evaluate.hpp binds them to an IndexTable. Several strings become one in merge.hpp. The grammar is
// at the top of parse.cpp. Rules: "Administering Platform LSF 6.2 and 7.3", resource requirements; where versions
// differ see docs/decisions/0014.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rollcall::resreq {

// Limits that keep every recursion and every answer small.
inline constexpr std::size_t kLongestText = 64 * 1024;  // bytes
inline constexpr int kDeepestNesting = 256;             // parentheses and unary operators inside one another
inline constexpr std::size_t kMostWords = 1024;         // of a list: order, same, ptile, the usages of rusage
inline constexpr std::size_t kMostSections = 64;        // of one string

// Where something stood in the string it was parsed from. No part of what a requirement says: all are equal.
struct Place {
  std::size_t offset = 0;  // bytes
  friend bool operator==(Place, Place) { return true; }
};

// An expression of a select section. `fits` is the single "=": == for strings, <= for numbers that grow with load, >=
// for those that shrink.
enum class Operator {
  negate,
  no,
  times,
  over,
  plus,
  minus,
  above,
  below,
  at_least,
  at_most,
  equal,
  unequal,
  fits,
  both,
  either
};
std::string_view text(Operator op);

struct Expression;
using ExpressionPointer = std::shared_ptr<const Expression>;  // trees are never changed, so they are shared

struct Number {
  double value = 0;     // finite, not below 0; with a unit in MB
  bool sized = false;   // written with a unit
  std::string written;  // "500", "7.3e-3", "20G": as it is printed again; "": value is printed
  friend bool operator==(const Number& a, const Number& b) {
    return a.value == b.value && a.sized == b.sized;
  }
};
struct Text {
  std::string value;  // of a quoted word, 'host-1' or "host-1"
  friend bool operator==(const Text&, const Text&) = default;
};
struct Name {
  std::string value;  // a resource, or the bare word on the other side of a string comparison
  friend bool operator==(const Name&, const Name&) = default;
};
struct Defined {
  std::string name;  // defined(name)
  friend bool operator==(const Defined&, const Defined&) = default;
};
struct Unary {
  Operator op{};  // negate, no
  ExpressionPointer operand;
};
// Operands with operators of one precedence between them, taken from left to right: a + b - c. So a requirement that
// names a thousand hosts is broad, not deep.
struct Chain {
  struct Link {
    Operator op{};
    ExpressionPointer operand;
  };
  ExpressionPointer first;
  std::vector<Link> rest;  // one at the least
};
struct Expression {
  std::variant<Number, Text, Name, Defined, Unary, Chain> node;
  Place place;
};
// The same expression, wherever it stood. Two null ones are the same.
bool same_expression(const ExpressionPointer& a, const ExpressionPointer& b);
// Both must hold; either may be null, which holds always.
ExpressionPointer both(const ExpressionPointer& a, const ExpressionPointer& b);

struct OrderKey {
  std::string name;
  bool reversed = false;
  Place place = {};
  friend bool operator==(const OrderKey&, const OrderKey&) = default;
};

struct Usage {
  std::string name;
  std::optional<Number> value;  // none: "intensive", one task per host
  Place place = {};
  friend bool operator==(const Usage&, const Usage&) = default;
};
// What is used for the same time: mem=20:swp=10:duration=30:decay=1.
struct UsageString {
  std::vector<Usage> usages;    // one at the least, no name twice
  std::optional<int> duration;  // seconds; none: as long as the job runs
  std::optional<bool> decay;
  friend bool operator==(const UsageString&, const UsageString&) = default;
};
// One alternative of rusage[A || B]: its strings, joined with ",", all count.
struct UsageAlternative {
  std::vector<UsageString> strings;  // one at the least
  friend bool operator==(const UsageAlternative&, const UsageAlternative&) = default;
};
struct Rusage {
  std::vector<UsageAlternative> alternatives;  // one at the least
  friend bool operator==(const Rusage&, const Rusage&) = default;
};

struct Span {
  std::optional<int> hosts;                           // 1, or -1: the queue's span does not count
  std::optional<int> ptile;                           // processors per host
  bool ptile_slots = false;                           // ptile='!': as many as the host has slots
  std::vector<std::pair<std::string, int>> ptile_by;  // with ptile_slots: HP:8,SGI:8, by type or model
  friend bool operator==(const Span&, const Span&) = default;
};

struct SameKey {
  std::string name;
  Place place = {};
  friend bool operator==(const SameKey&, const SameKey&) = default;
};

struct ComputeUnits {
  std::string type;  // "": the default one of COMPUTE_UNIT_TYPES
  std::string pref;  // config, maxavail, minavail, bestfit; "": not given
  std::optional<int> maxcus, usablecuslots;
  bool balance = false, excl = false;
  friend bool operator==(const ComputeUnits&, const ComputeUnits&) = default;
};

// Levels are numa, socket, core, thread; the aliases mcm and cpu have become numa and thread.
struct AffinityUnit {
  std::string unit;
  int number = 1;                          // units for each task
  int count = 1;                           // *count
  std::string same;                        // level that a task's units share; "": not given
  std::string exclusive, exclusive_scope;  // level; injob, alljobs, ""
  friend bool operator==(const AffinityUnit&, const AffinityUnit&) = default;
};
struct Affinity {
  AffinityUnit unit;
  std::string cpubind, membind,
      distribute;  // "" where not given; distribute: any, balance, pack, pack(socket=1)
  friend bool operator==(const Affinity&, const Affinity&) = default;
};

struct ResReq {
  ExpressionPointer select;  // null: none given
  std::vector<OrderKey> order;
  std::optional<Rusage> rusage;
  std::optional<Span> span;
  std::vector<SameKey> same;
  std::optional<ComputeUnits> cu;
  std::optional<Affinity> affinity;

  bool empty() const;
  friend bool operator==(const ResReq& a, const ResReq& b);
};

struct Syntax {
  bool strict = false;  // LSF_STRICT_RESREQ: select has the later grammar only
  // MB that a number without a unit means in rusage: LSF_UNIT_FOR_LIMITS. It is printed again as it was written.
  double memory_mb = 1, tmp_mb = 1;
};

// What is wrong, with the place.
struct ParseError {
  std::string text;  // "found X, expected Y"
  std::size_t offset = 0;
};
// Three lines, without a newline at the end: the message, the string (of a long one the part round the place), a caret
// under the place. Bytes that would disturb a terminal are shown as "?".
std::string caret_lines(std::string_view resreq, const ParseError& error);

struct ParseResult {
  ResReq value;
  std::optional<ParseError> error;  // where there is one, `value` is not to be used
};
ParseResult parse(std::string_view text, const Syntax& syntax = {});

// The normal form, as bjobs -l shows one: "select[type == local] order[r15s:pg]". parse(print(x)) gives x again, where
// it is not longer than kLongestText. "" for a requirement that says nothing.
std::string print(const ResReq& resreq);
std::string print(const Expression& expression);
std::string print(const std::vector<OrderKey>& order);  // "r15s:-pg"
std::string print(const Rusage& rusage);                // what stands between the brackets

}  // namespace rollcall::resreq
