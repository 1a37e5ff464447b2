// LoadHistory: the recent samples of `lsload --watch`, and its graph: for each index one line with the mean over the hosts that
// are up, the age of the oldest value, and the last means as bars. A value; the caller gives the time of a sample.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "common/wire/load.pb.h"

namespace rollcall::elim::show {

inline constexpr std::size_t kHistory = 40;  // samples that are kept and drawn

class LoadHistory {
 public:
  // Adds the sample `loads`. New indices begin empty.
  void take(const wire::Reply::Loads& loads);

  // `indices`: formal names in the order to be drawn; those never seen are left out. `unicode`: draw with block characters, else
  // with ASCII.
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
