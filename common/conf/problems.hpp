// Problems: what is wrong with a set of configuration files, all of it, in the order of the files. Values.
#pragma once

#include <algorithm>
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
  // By file, in the order in which the files were first named, then by line: as a person goes through them.
  void sort() {
    std::vector<std::string> files;
    const auto number_of = [&files](const Problem& problem) {
      return std::find(files.begin(), files.end(), problem.place.file) - files.begin();
    };
    for (const auto& problem : all_)
      if (number_of(problem) == static_cast<std::ptrdiff_t>(files.size()))
        files.push_back(problem.place.file);
    std::stable_sort(all_.begin(), all_.end(), [&](const Problem& a, const Problem& b) {
      return std::pair(number_of(a), a.place.line) < std::pair(number_of(b), b.place.line);
    });
  }
  int errors() const {
    return static_cast<int>(std::count_if(all_.begin(), all_.end(),
                                          [](const Problem& p) { return p.kind == Problem::Kind::error; }));
  }
  int warnings() const { return static_cast<int>(all_.size()) - errors(); }
  bool has_errors() const { return errors() > 0; }

 private:
  void add(Problem::Kind kind, const Place& place, std::string text) {
    all_.push_back({kind, place, std::move(text)});
  }
  std::vector<Problem> all_;
};

}  // namespace rollcall::conf
