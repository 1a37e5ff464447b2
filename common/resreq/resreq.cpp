#include "common/resreq/resreq.hpp"

#include <algorithm>

#include "common/resreq/parse_select.hpp"

namespace rollcall::resreq {
namespace {

bool same_links(const Chain::Link& a, const Chain::Link& b) {
  return a.op == b.op && same_expression(a.operand, b.operand);
}

// One overload for each kind of node; nodes of different kinds are never the same.
struct SameNode {
  template <class Leaf>
  bool operator()(const Leaf& a, const Leaf& b) const {
    return a == b;
  }
  bool operator()(const Unary& a, const Unary& b) const {
    return a.op == b.op && same_expression(a.operand, b.operand);
  }
  bool operator()(const Chain& a, const Chain& b) const {
    return same_expression(a.first, b.first) &&
           std::equal(a.rest.begin(), a.rest.end(), b.rest.begin(), b.rest.end(), same_links);
  }
  template <class A, class B>
  bool operator()(const A&, const B&) const {
    return false;
  }
};

const Chain* conjunction(const Expression& expression) {
  const auto* chain = std::get_if<Chain>(&expression.node);
  return chain && chain->rest.front().op == Operator::both ? chain : nullptr;
}

}  // namespace

bool same_expression(const ExpressionPointer& a, const ExpressionPointer& b) {
  if (a == b) return true;
  return a && b && std::visit(SameNode{}, a->node, b->node);
}

ExpressionPointer both(const ExpressionPointer& a, const ExpressionPointer& b) {
  if (!a || !b) return a ? a : b;
  // Operands of && are not nested: a && b joined with c is one chain of three parts.
  const Chain* const left = conjunction(*a);
  const Chain* const right = conjunction(*b);
  Chain chain = left ? *left : Chain{a, {}};
  chain.rest.push_back({Operator::both, right ? right->first : b});
  if (right) chain.rest.insert(chain.rest.end(), right->rest.begin(), right->rest.end());
  return std::make_shared<const Expression>(Expression{std::move(chain), a->place});
}

bool ResReq::empty() const {
  return !select && order.empty() && !rusage && !span && same.empty() && !cu && !affinity;
}

bool operator==(const ResReq& a, const ResReq& b) {
  return same_expression(a.select, b.select) && a.order == b.order && a.rusage == b.rusage &&
         a.span == b.span && a.same == b.same && a.cu == b.cu && a.affinity == b.affinity;
}

}  // namespace rollcall::resreq
