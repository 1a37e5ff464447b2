#include "elim/policy/melim/elim_merge.hpp"

#include <utility>

namespace rollcall::melim {

std::vector<Reading> ElimMerge::take(std::size_t most_bytes) {
  std::vector<Reading> taken;
  std::size_t bytes = 0;
  while (!told_.empty()) {
    const auto first = told_.begin();
    const auto* word = std::get_if<std::string>(&first->second);
    bytes += first->first.size() + (word ? word->size() : sizeof(float));
    if (!taken.empty() && bytes > most_bytes) break;
    auto node = told_.extract(first);
    taken.push_back({std::move(node.key()), std::move(node.mapped())});
  }
  return taken;
}

}  // namespace rollcall::melim
