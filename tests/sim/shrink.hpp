// Knobs: the settings of a simulated world as named numbers, so that a world that fails can be made smaller and be named in one line.
//
// shrunk() looks for the smallest setting that still fails: it tries the least value of each knob first, halves the way to it after
// that, and goes round until no knob gives way. Pure; the caller says what fails.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rollcall::sched {

struct Knob {
  std::string name;
  int value = 0;
  int least = 0;  // `value` itself where the knob is not to be turned, as that of a seed
};

class Knobs {
 public:
  Knobs(std::initializer_list<Knob> knobs) : all_(knobs) {}

  int operator[](std::string_view name) const;
  Knobs with(std::string_view name, int value) const;
  const std::vector<Knob>& all() const { return all_; }

  // "seed=3,jobs=12": knobs of which `usual` says the same are left out.
  std::string text(const Knobs& usual) const;
  // Takes the values of such a line. False: a word of it names no knob or no number.
  bool read(std::string_view line);

 private:
  std::vector<Knob> all_;
};

// `fails` is true of `knobs`. It is asked at most `most` times.
Knobs shrunk(Knobs knobs, const std::function<bool(const Knobs&)>& fails, int most);

}  // namespace rollcall::sched
