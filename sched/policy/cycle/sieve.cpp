#include "sched/policy/cycle/sieve.hpp"

#include <utility>

namespace rollcall::sched::cycle {
namespace {

using resreq::Chain;
using resreq::Expression;
using resreq::ExpressionPointer;
using resreq::Operator;

// How reservations can change a number; none: either way.
enum class Trend { falls = -1, stays = 0, rises = 1 };
using MaybeTrend = std::optional<Trend>;

MaybeTrend reversed(MaybeTrend trend) {
  if (!trend) return trend;
  return static_cast<Trend>(-static_cast<int>(*trend));
}
MaybeTrend together(MaybeTrend a, MaybeTrend b) {
  if (!a || !b) return std::nullopt;
  if (*a == Trend::stays) return b;
  return *b == Trend::stays || a == b ? a : std::nullopt;
}

class Trends {
 public:
  explicit Trends(const PlacementRules& rules) : rules_(rules) {}
  MaybeTrend of(const Expression& expression) const { return std::visit(*this, expression.node); }

  MaybeTrend operator()(const resreq::Number&) const { return Trend::stays; }
  MaybeTrend operator()(const resreq::Text&) const { return std::nullopt; }
  MaybeTrend operator()(const resreq::Defined&) const { return Trend::stays; }
  MaybeTrend operator()(const resreq::Name& name) const {
    const auto id = rules_.indices().find(name.value);
    if (!id) return std::nullopt;
    const auto& definition = rules_.indices().at(*id);
    if (definition.type == ResourceType::boolean) return Trend::stays;
    if (definition.type == ResourceType::string) return std::nullopt;
    const bool grows = definition.order == ResourceOrder::increasing && !rules_.shared_resource(*id);
    return grows ? Trend::rises : Trend::falls;
  }
  MaybeTrend operator()(const resreq::Unary& unary) const {
    return unary.op == Operator::negate ? reversed(of(*unary.operand)) : std::nullopt;
  }
  MaybeTrend operator()(const Chain& chain) const {
    MaybeTrend trend = of(*chain.first);
    const Expression* before = chain.first.get();
    for (const auto& link : chain.rest) {
      trend = joined(trend, *before, link);
      before = link.operand.get();
    }
    return trend;
  }

 private:
  static bool constant(const Expression& expression) {
    return std::holds_alternative<resreq::Number>(expression.node);  // never negative: a minus is a Unary
  }
  MaybeTrend joined(MaybeTrend trend, const Expression& before, const Chain::Link& link) const {
    const MaybeTrend next = of(*link.operand);
    switch (link.op) {
      case Operator::plus:
        return together(trend, next);
      case Operator::minus:
        return together(trend, reversed(next));
      case Operator::over:
        return constant(*link.operand) ? trend : std::nullopt;
      case Operator::times:
        if (constant(*link.operand)) return trend;
        return constant(before) && trend == Trend::stays ? next : std::nullopt;
      default:
        return std::nullopt;
    }
  }
  const PlacementRules& rules_;
};

std::optional<Operator> swapped(Operator op) {
  switch (op) {
    case Operator::above:
      return Operator::below;
    case Operator::below:
      return Operator::above;
    case Operator::at_least:
      return Operator::at_most;
    case Operator::at_most:
      return Operator::at_least;
    default:
      return std::nullopt;
  }
}

ExpressionPointer expression(decltype(Expression::node) node) {
  return std::make_shared<const Expression>(Expression{std::move(node), {}});
}

class Sieving {
 public:
  Sieving(const resreq::BindContext& context, const PlacementRules& rules)
      : context_(context), trends_(rules) {}

  std::optional<Sieve> of(const ExpressionPointer& part, bool negated = false) const {
    if (!part) return std::nullopt;
    if (const auto* unary = std::get_if<resreq::Unary>(&part->node))
      return unary->op == Operator::no ? of(unary->operand, !negated) : std::nullopt;
    const auto* chain = std::get_if<Chain>(&part->node);
    if (chain == nullptr) return std::nullopt;
    const Operator op = chain->rest.front().op;
    if (op == Operator::both) return negated ? any(*chain, negated) : all(*chain, negated);
    if (op == Operator::either) return negated ? all(*chain, negated) : any(*chain, negated);
    return chain->rest.size() == 1 ? comparison(*chain, negated) : std::nullopt;
  }

 private:
  std::optional<Sieve> all(const Chain& chain, bool negated) const {
    Sieve sieve;
    const auto add = [&](const ExpressionPointer& operand) {
      if (auto part = of(operand, negated)) sieve.parts.push_back(std::move(*part));
    };
    add(chain.first);
    for (const auto& link : chain.rest) add(link.operand);
    if (sieve.parts.empty()) return std::nullopt;
    return sieve;
  }

  std::optional<Sieve> any(const Chain& chain, bool negated) const {
    Sieve sieve;
    sieve.kind = Sieve::Kind::any;
    auto part = of(chain.first, negated);
    for (auto link = chain.rest.begin(); part && link != chain.rest.end(); ++link) {
      sieve.parts.push_back(std::move(*part));
      part = of(link->operand, negated);
    }
    if (!part) return std::nullopt;  // one that lets every host pass
    sieve.parts.push_back(std::move(*part));
    return sieve;
  }

  std::optional<Sieve> comparison(const Chain& chain, bool negated) const {
    const auto& link = chain.rest.front();
    const auto is_number = [](const ExpressionPointer& side) {
      return std::holds_alternative<resreq::Number>(side->node);
    };
    const bool number_first = is_number(chain.first);
    if (number_first == is_number(link.operand)) return std::nullopt;
    const auto& measured = number_first ? link.operand : chain.first;
    const auto op = number_first       ? swapped(link.op)
                    : swapped(link.op) ? std::optional(link.op)
                                       : std::nullopt;
    if (!op) return std::nullopt;
    const bool enough = (*op == Operator::above || *op == Operator::at_least) != negated;
    const auto trend = trends_.of(*measured);
    if (!trend || *trend == (enough ? Trend::rises : Trend::falls)) return std::nullopt;
    auto sieve = bound(chain, measured, number_first, enough);
    if (sieve) sieve->negated = negated;
    return sieve;
  }

  // A single resource keeps its name in the comparison, because the resource decides how the number is read. For an expression of
  // several, `mem` stands for its value.
  std::optional<Sieve> bound(const Chain& chain, const ExpressionPointer& measured, bool number_first,
                             bool enough) const {
    Chain asked = chain;
    if (!std::holds_alternative<resreq::Name>(measured->node)) {
      auto number = expression(resreq::Name{"mem"});
      (number_first ? asked.rest.front().operand : asked.first) = std::move(number);
    }
    auto value = resreq::bind(measured, context_);
    auto comparison = resreq::bind(expression(std::move(asked)), context_);
    if (!value.select || !comparison.select) return std::nullopt;
    Sieve sieve;
    sieve.kind = enough ? Sieve::Kind::enough : Sieve::Kind::little;
    sieve.measure = {resreq::print(*measured), std::move(*value.select)};
    sieve.comparison = std::move(*comparison.select);
    return sieve;
  }

  const resreq::BindContext& context_;
  Trends trends_;
};

}  // namespace

std::optional<Sieve> sieve_of(const ExpressionPointer& select, const resreq::BindContext& context,
                              const PlacementRules& rules) {
  return Sieving(context, rules).of(select);
}

}  // namespace rollcall::sched::cycle
