// ElimLog: LSF_LOGDIR/melim.log.HOST. The file is opened and closed for each line, so it may be rotated, removed or on a full
// disk at any time. A line that cannot be written is lost, without further effect.
//
// No link is followed, and only a regular file of ours or root's is written: others may write the directory. The number of lines
// is bounded; where some were left out, the next one says how many. An unusable file is reported once on standard error, LIM's
// log.
#pragma once

#include <string>
#include <string_view>

#include "elim/policy/load/output_limits.hpp"

namespace rollcall::melim {

class ElimLog {
 public:
  // `otherwise` is used where `file` cannot be written. Both empty: no log, lines are dropped.
  void open(std::string file, std::string otherwise = "");

  void say(std::string_view text);

 private:
  void write_line(const std::string& line);
  void complain(const std::string& file, const std::string& why);

  std::string file_, otherwise_;
  bool complained_ = false;  // of these files
  load::LineBudget budget_{2000, std::chrono::milliseconds(200)};
};

}  // namespace rollcall::melim
