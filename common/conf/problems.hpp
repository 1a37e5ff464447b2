// Problems: what is wrong with a set of configuration files, all of it, in the order of the files. Values.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace rollcall::conf {

struct Place {
  std::string file;
  int line = 0;  // from 1; 0: the file as a whole

  // "FILE:LINE", or "FILE".
  std::string text() const { return line > 0 ? file + ":" + std::to_string(line) : file; }
};

struct Problem {
  enum class Kind {
    error,    // it cannot be meant; the set is not taken
    warning,  // unknown or odd, and passed over
  };
  Kind kind = Kind::error;
  Place place;
  std::string text;  // "found X, expected Y"

  std::string line() const { return place.text() + ": " + (kind == Kind::warning ? "warning: " : "") + text; }
};

class Problems {
 public:
  void error(const Place& place, std::string text) { add(Problem::Kind::error, place, std::move(text)); }
  void warning(const Place& place, std::string text) { add(Problem::Kind::warning, place, std::move(text)); }

  const std::vector<Problem>& all() const { return all_; }
  bool has_errors() const {
    for (const auto& problem : all_)
      if (problem.kind == Problem::Kind::error) return true;
    return false;
  }

 private:
  void add(Problem::Kind kind, const Place& place, std::string text) {
    all_.push_back({kind, place, std::move(text)});
  }
  std::vector<Problem> all_;
};

}  // namespace rollcall::conf
