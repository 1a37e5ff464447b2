// Problems: all errors and warnings of a set of configuration files, in the order of the files. Values.
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
    fatal,  // the set cannot be used: a file or the hosts are missing, or it is not known where the data are
    error,  // the row or value is invalid and left out; the set is used without it
    warning,  // unknown, odd or without effect
  };
  Kind kind = Kind::error;
  Place place;
  std::string text;  // "found X, expected Y"

  std::string line() const { return place.text() + ": " + (kind == Kind::warning ? "warning: " : "") + text; }
};

class Problems {
 public:
  void fatal(const Place& place, std::string text) { add(Problem::Kind::fatal, place, std::move(text)); }
  void error(const Place& place, std::string text) { add(Problem::Kind::error, place, std::move(text)); }
  void warning(const Place& place, std::string text) { add(Problem::Kind::warning, place, std::move(text)); }

  void add(const Problems& others) { all_.insert(all_.end(), others.all_.begin(), others.all_.end()); }

  const std::vector<Problem>& all() const { return all_; }
  // Sorted by file, in the order in which the files were first named, then by line.
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
  // Counts fatal errors too.
  int errors() const {
    return static_cast<int>(std::count_if(all_.begin(), all_.end(),
                                          [](const Problem& p) { return p.kind != Problem::Kind::warning; }));
  }
  int warnings() const { return static_cast<int>(all_.size()) - errors(); }
  bool has_errors() const { return errors() > 0; }
  bool has_fatal() const { return first_fatal() != nullptr; }
  const Problem* first_fatal() const {
    const auto found = std::find_if(all_.begin(), all_.end(),
                                    [](const Problem& p) { return p.kind == Problem::Kind::fatal; });
    return found == all_.end() ? nullptr : &*found;
  }

  // For a daemon's log. The fatal errors come first: the first line says why a set is not used.
  std::vector<std::string> error_lines() const {
    auto lines = lines_of(Problem::Kind::fatal);
    for (auto& line : lines_of(Problem::Kind::error)) lines.push_back(std::move(line));
    return lines;
  }
  std::vector<std::string> warning_lines() const { return lines_of(Problem::Kind::warning); }

 private:
  std::vector<std::string> lines_of(Problem::Kind kind) const {
    std::vector<std::string> lines;
    for (const Problem& problem : all_)
      if (problem.kind == kind) lines.push_back(problem.line());
    return lines;
  }
  void add(Problem::Kind kind, const Place& place, std::string text) {
    all_.push_back({kind, place, std::move(text)});
  }
  std::vector<Problem> all_;
};

}  // namespace rollcall::conf
