// ElimLog: LSF_LOGDIR/melim.log.HOST. Every line is opened, appended and closed: the file may be rotated, removed or on
// a full disk at any time, and a line that cannot be written is lost, nothing else.
//
// No link is followed and nothing but a regular file of ours or root's is written: the directory may be one that
// others write. Lines are bounded in number; where some were left out, the next one says how many. A file that cannot be one
// is said once on standard error, which is LIM's log.
#pragma once

#include <string>
#include <string_view>

#include "elim/policy/load/output_limits.hpp"

namespace rollcall::melim {

class ElimLog {
 public:
  // Where `file` cannot be written, `otherwise` is. Both empty: no log, lines go nowhere.
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
