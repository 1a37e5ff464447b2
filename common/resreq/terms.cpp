#include "common/resreq/terms.hpp"

namespace rollcall::resreq {

std::size_t terms(const ExpressionPointer& select) {
  if (!select) return 0;
  if (const auto* unary = std::get_if<Unary>(&select->node)) return terms(unary->operand);
  const auto* chain = std::get_if<Chain>(&select->node);
  if (!chain) return 1;
  std::size_t count = terms(chain->first);
  for (const auto& link : chain->rest) count += terms(link.operand);
  return count;
}

}  // namespace rollcall::resreq
