// parse(print(x)) is x, for requirements of every shape; and what is printed is its own normal form.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "common/resreq/merge.hpp"
#include "tests/unit/common/resreq/resreq_host.hpp"

namespace rollcall::resreq {
namespace {

using rc::gen::arbitrary;
using rc::gen::element;
using rc::gen::exec;
using rc::gen::inRange;

template <class T>
std::vector<T> some(int most, const std::function<T()>& make, int least = 0) {
  std::vector<T> all;
  for (int i = *inRange(least, most + 1); i > 0; --i) all.push_back(make());
  return all;
}

bool chance(int in) { return *inRange(0, in) == 0; }

std::string a_name() {
  return *element<std::string>("mem", "swp", "ut", "ngpus", "linux", "größe", "a.b", "_x9", "type", "hname",
                               "any", "select", "order", "e5", "K", "duration_", "€");
}
std::string a_word() {
  return chance(2) ? a_name()
                   : *element<std::string>("host-1", "9node", "it's", "say \"x\"", " ", "]", "a:b");
}

Number a_number() {
  Number number{.value = *element(0.0, 1.0, 0.5, 7.3e-3, 1e15, 12345678.25, 5e-324, 1.0 / 3)};
  number.sized = chance(3);
  if (chance(2)) return number;
  const double units = *element(1.0, 2.0, 0.25);
  using Unit = std::pair<const char*, double>;
  const auto [letter, factor] = *element(Unit{"", 1}, Unit{"K", 1 / 1024.0}, Unit{"MB", 1}, Unit{"gb", 1024},
                                         Unit{"T", 1048576}, Unit{"E", 1099511627776.0});
  number = {units * factor, *letter != '\0',
            (units == 0.25 ? "2.5e-1"
             : units == 1  ? "1"
                           : "2.") +
                std::string(letter)};
  return number;
}

ExpressionPointer make(decltype(Expression::node) node) {
  return std::make_shared<const Expression>(Expression{std::move(node), {}});
}

ExpressionPointer an_expression(int depth);

ExpressionPointer a_leaf() {
  switch (*inRange(0, 4)) {
    case 0:
      return make(a_number());
    case 1:
      return make(Text{a_word()});
    case 2:
      return make(Defined{a_name()});
    default:
      return make(Name{a_name()});
  }
}

ExpressionPointer a_chain(int depth) {
  using Operators = std::vector<Operator>;
  const auto operators =
      *element(Operators{Operator::either}, Operators{Operator::both},
               Operators{Operator::equal, Operator::unequal, Operator::fits},
               Operators{Operator::above, Operator::below, Operator::at_least, Operator::at_most},
               Operators{Operator::plus, Operator::minus}, Operators{Operator::times, Operator::over});
  Chain chain{an_expression(depth - 1), {}};
  for (int i = *inRange(1, 4); i > 0; --i)
    chain.rest.push_back({*rc::gen::elementOf(operators), an_expression(depth - 1)});
  return make(std::move(chain));
}

ExpressionPointer an_expression(int depth) {
  if (depth == 0 || chance(4)) return a_leaf();
  if (chance(4)) return make(Unary{*element(Operator::negate, Operator::no), an_expression(depth - 1)});
  return a_chain(depth);
}

UsageString a_usage_string() {
  UsageString string;
  for (const char* name : {"mem", "lic", "größe", "e5"})
    if (string.usages.empty() || chance(2)) {
      Usage usage{.name = name, .value = std::nullopt};
      if (!chance(4)) usage.value = a_number();
      string.usages.push_back(std::move(usage));
    }
  if (chance(2)) string.duration = *inRange(0, 10'000);
  if (chance(3)) string.decay = *arbitrary<bool>();
  return string;
}

Span a_span() {
  Span span;
  if (chance(2)) span.hosts = *element(1, -1);
  if (span.hosts && chance(2)) return span;
  span.ptile_slots = chance(2);
  if (!span.ptile_slots) span.ptile = *inRange(1, 100);
  for (const char* type : {"HP", "SGI-1", "it's"})
    if (span.ptile_slots && chance(2)) span.ptile_by.emplace_back(type, *inRange(1, 100));
  return span;
}

ComputeUnits compute_units() {
  ComputeUnits cu;
  if (chance(2)) cu.type = a_word();
  cu.pref = *element<std::string>("", "config", "maxavail", "minavail", "bestfit");
  if (chance(3)) cu.maxcus = *inRange(1, 100);
  if (chance(3)) cu.usablecuslots = *inRange(1, 100);
  cu.balance = cu.pref != "bestfit" && chance(2);
  cu.excl = chance(2);
  return cu;
}

Affinity an_affinity() {
  const auto unit = [] { return *element<std::string>("numa", "socket", "core", "thread"); };
  Affinity affinity;
  affinity.unit = {
      unit(), *inRange(1, 100), *inRange(1, 100), chance(2) ? unit() : "", chance(2) ? unit() : "", ""};
  if (!affinity.unit.exclusive.empty())
    affinity.unit.exclusive_scope = *element<std::string>("", "injob", "alljobs");
  if (chance(2)) affinity.cpubind = unit();
  affinity.membind = *element<std::string>("", "localonly", "localprefer");
  affinity.distribute =
      *element<std::string>("", "any", "balance", "pack", "pack(socket=1)", "pack(core=12)");
  return affinity;
}

ResReq a_requirement() {
  ResReq resreq;
  if (!chance(4)) resreq.select = an_expression(*inRange(0, 6));
  resreq.order = some<OrderKey>(3, [] { return OrderKey{.name = a_name(), .reversed = *arbitrary<bool>()}; });
  resreq.same = some<SameKey>(2, [] { return SameKey{.name = a_name()}; });
  if (chance(2))
    resreq.rusage = Rusage{some<UsageAlternative>(
        3, [] { return UsageAlternative{some<UsageString>(3, a_usage_string, 1)}; }, 1)};
  if (chance(2)) resreq.span = a_span();
  if (chance(3)) resreq.cu = compute_units();
  if (chance(3)) resreq.affinity = an_affinity();
  return resreq;
}

RC_GTEST_PROP(Print, ParsesToTheSame, ()) {
  ResReq resreq = a_requirement();
  // A key twice is one when sections are put together; the generator may have made two.
  resreq = merge({}, resreq).value();
  const std::string text = print(resreq);
  const ParseResult again = parse(text);
  if (again.error) RC_FAIL(caret_lines(text, *again.error));
  RC_LOG() << text;
  RC_ASSERT(again.value == resreq);
  RC_ASSERT(print(again.value) == text);
}

// The two ways of one string and of several options agree.
RC_GTEST_PROP(Merge, EqualsTheRequirementOfTheJoinedStrings, ()) {
  ResReq first = merge({}, a_requirement()).value(), second = merge({}, a_requirement()).value();
  second.span.reset();
  second.cu.reset();
  second.affinity.reset();
  const auto together = merge(first, second);
  RC_PRE(together.has_value());
  const std::string text = print(first) + print(second);
  const ParseResult both = parse(text);
  if (both.error) RC_FAIL(caret_lines(text, *both.error));
  RC_LOG() << text;
  RC_ASSERT(both.value == *together);
}

RC_GTEST_PROP(Parse, AnyBytesGiveARequirementOrOneError, (const std::string& bytes)) {
  const ParseResult result = parse(bytes);
  if (!result.error) {
    RC_ASSERT(parse(print(result.value)).value == result.value);
    return;
  }
  RC_ASSERT(result.error->offset <= bytes.size());
  RC_ASSERT(result.error->text.find('\n') == std::string::npos);
}

RC_GTEST_PROP(Bind, GivesAnAnswerOrAnError, ()) {
  const auto select = an_expression(5);
  const auto bound = resreq::bind(
      select, {.indices = &cluster(), .local_type = "X", .default_type_local = true, .official_host = {}});
  RC_ASSERT(bound.select.has_value() != bound.error.has_value());
  if (!bound.select) return;
  const TestHost host({{"mem", 5}, {"ut", 0.5}}, {{"hname", "host-1"}});
  bool all = true;
  for (const Part& part : bound.select->parts(host)) all = all && part.holds;
  RC_ASSERT(bound.select->matches(host) == all);
}

}  // namespace
}  // namespace rollcall::resreq
