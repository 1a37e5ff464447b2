#include "tests/sim/shrink.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace rollcall::sched {
namespace {

template <class All>
auto find(All& all, std::string_view name) {
  return std::find_if(all.begin(), all.end(), [&](const Knob& one) { return one.name == name; });
}

// Asks `fails`, until it has been asked often enough.
class Tries {
 public:
  Tries(const std::function<bool(const Knobs&)>& fails, int most) : fails_(fails), left_(most) {}
  bool operator()(const Knobs& knobs) { return left_-- > 0 && fails_(knobs); }

 private:
  const std::function<bool(const Knobs&)>& fails_;
  int left_;
};

// The smallest value of the knob that fails, as far as halving finds it.
Knobs turned_down(const Knobs& knobs, const Knob& knob, Tries& fails) {
  if (knob.value == knob.least) return knobs;
  if (const Knobs least = knobs.with(knob.name, knob.least); fails(least)) return least;
  Knobs best = knobs;
  int passes = knob.least;
  while (best[knob.name] - passes > 1) {
    const int middle = passes + (best[knob.name] - passes) / 2;
    const Knobs half = best.with(knob.name, middle);
    fails(half) ? void(best = half) : void(passes = middle);
  }
  return best;
}

}  // namespace

int Knobs::operator[](std::string_view name) const {
  const auto found = find(all_, name);
  if (found == all_.end()) throw std::invalid_argument("no knob " + std::string(name));
  return found->value;
}

Knobs Knobs::with(std::string_view name, int value) const {
  Knobs other = *this;
  const auto found = find(other.all_, name);
  if (found == other.all_.end()) throw std::invalid_argument("no knob " + std::string(name));
  found->value = value;
  return other;
}

std::string Knobs::text(const Knobs& usual) const {
  std::string line;
  for (const Knob& knob : all_)
    if (knob.value != usual[knob.name])
      line += (line.empty() ? "" : ",") + knob.name + "=" + std::to_string(knob.value);
  return line;
}

bool Knobs::read(std::string_view line) {
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(','));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return false;
    const auto found = find(all_, word.substr(0, equals));
    if (found == all_.end()) return false;
    const auto [end, error] =
        std::from_chars(word.data() + equals + 1, word.data() + word.size(), found->value);
    if (error != std::errc{} || end != word.data() + word.size()) return false;
  }
  return true;
}

Knobs shrunk(Knobs knobs, const std::function<bool(const Knobs&)>& fails, int most) {
  Tries tries(fails, most);
  for (;;) {
    const Knobs before = knobs;
    for (const Knob& knob : before.all()) knobs = turned_down(knobs, knob, tries);
    if (knobs.text(before).empty()) return knobs;
  }
}

}  // namespace rollcall::sched
