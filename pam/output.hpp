// Output: what pam writes: its lines, the progress of a launch, the closing table, the report file.
//
// Everything goes to stderr but the report. Standard output belongs to the job. A stderr that is not read stops nothing
// while the job runs: what finds no room is kept. At the end it is waited for, until a signal asks pam to end; what has
// found no room then is left out.
#pragma once

#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "pam/policy/options.hpp"
#include "pam/policy/roll.hpp"

namespace rollcall::pam {

class Output {
 public:
  explicit Output(bool verbose);
  Output(const Output&) = delete;
  ~Output();

  void say(const std::string& line);   // "pam: LINE"
  void note(const std::string& line);  // the same, with -v only
  // One line that is written over; only on a terminal.
  void progress(const std::string& line);
  void end_progress();
  // What has found no room before. To be called about once a second.
  void flush();
  // The closing table, and that of --usage, as the options want them; when it returns they have been taken.
  void tables(const Roll& roll, const Options& options);

 private:
  void write(const std::string& text);
  void wait_for_reader();

  bool verbose_;
  bool terminal_;
  bool progress_shown_ = false;
  std::string unread_;
};

// The file of --report: opened before anything is started, written when all is over.
class ReportFile {
 public:
  // Without a path nothing will be written. Errors name the file.
  static Result<ReportFile> open(const std::optional<std::string>& path);
  ReportFile(ReportFile&& other) noexcept;
  ReportFile& operator=(ReportFile&&) = delete;
  ~ReportFile();

  Result<void> write(std::string text);

 private:
  ReportFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::string path_;
  int fd_;
};

}  // namespace rollcall::pam
