// LoadHistory: what `lsload --watch` remembers, and the small graph of it: one line for each index: the mean over the
// hosts that are up, how long ago the host that was silent longest told it, and the last means as bars. A value; the
// caller says when a sample was taken.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "common/wire/load.pb.h"

namespace rollcall::elim::show {

inline constexpr std::size_t kHistory = 40;  // samples that are kept and drawn

class LoadHistory {
 public:
  // Takes the sample `loads`. Indices that were not there before begin empty.
  void take(const wire::Reply::Loads& loads);

  // `indices`: formal names in the order to be drawn; those never seen are left out. `unicode`: bars of block characters,
  // else of ASCII ones.
  std::string graph(const std::vector<std::string>& indices, bool unicode) const;

 private:
  struct Line {
    std::string name;
    std::deque<float> means;  // oldest first; unknown ones are kUnknownLoad
    std::string age;          // of the last sample: "12s"; "" where nobody has ever told it
  };
  Line& line(const std::string& name);
  std::vector<Line> lines_;
};

}  // namespace rollcall::elim::show
