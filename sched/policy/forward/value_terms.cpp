#include "sched/policy/forward/value_terms.hpp"

#include <algorithm>

namespace rollcall::sched::forward {
namespace {

using Is = ValueTerm::Is;

template <class T>
bool holds(const T& value, Is is, const T& asked) {
  switch (is) {
    case Is::equal:
      return value == asked;
    case Is::unequal:
      return value != asked;
    case Is::above:
      return value > asked;
    case Is::at_least:
      return value >= asked;
    case Is::below:
      return value < asked;
    case Is::at_most:
      return value <= asked;
  }
  return true;
}

bool number_met(const ValueTerm& term, const ResourceValues& told) {
  const double asked = *term.number;
  const auto& numbers = told.numbers;
  if (told.more && term.is == Is::equal) return numbers.front() <= asked && asked <= numbers.back();
  return std::any_of(numbers.begin(), numbers.end(),
                     [&](double value) { return holds(value, term.is, asked); });
}

bool met(const ValueTerm& term, const ResourceValues& told) {
  if (!told.numbers.empty())
    return !term.number || number_met(term, told);  // a word beside numbers: no effect
  if (told.more) return true;                       // which words is not told
  return std::any_of(told.words.begin(), told.words.end(),
                     [&](const std::string& word) { return holds(word, term.is, term.word); });
}

std::string_view symbol(Is is) {
  constexpr std::string_view kSymbols[] = {"==", "!=", ">", ">=", "<", "<="};
  return kSymbols[static_cast<std::size_t>(is)];
}

}  // namespace

std::optional<std::uint32_t> first_unmet(const std::vector<ValueTerm>& terms,
                                         const std::vector<ResourceValues>& told) {
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (const ResourceValues& values : told)
      if (values.name == terms[i].name && !met(terms[i], values)) return static_cast<std::uint32_t>(i);
  return std::nullopt;
}

std::string text(const ValueTerm& term) { return term.name + std::string(symbol(term.is)) + term.word; }

}  // namespace rollcall::sched::forward
