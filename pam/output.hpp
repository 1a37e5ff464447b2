// Output: what pam writes: its lines, the progress of a launch, the closing table, the report file.
//
// Everything except the report goes to stderr; standard output belongs to the job. A stderr that is not read does not stop pam while the
// job runs: unwritten lines are kept. At the end pam waits until they are written or a signal asks it to end.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "pam/policy/options.hpp"
#include "pam/policy/report.hpp"
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
  // Writes what could not be written before. To be called about once a second.
  void flush();
  // The closing table, and that of --usage, as the options want them; when it returns they have been taken.
  void tables(const Roll& roll, const Options& options);

 private:
  void write(std::string_view text);
  // Writes a long text, waiting for whoever reads it.
  void write_slowly(std::string_view text);
  void wait_for_reader();

  bool verbose_;
  bool terminal_;
  bool progress_shown_ = false;
  bool given_up_ = false;  // a signal ended the wait for a reader: the rest of a table would be torn
  std::string unread_;
};

// The file of --report or --plot: opened before anything is started, written when all is over.
class ReportFile {
 public:
  // Gives a text to a sink, part by part.
  using Source = std::function<void(const TextSink&)>;

  // what: "the report", "the plot". Without a path nothing will be written. Errors name the file.
  static Result<ReportFile> open(const std::optional<std::string>& path, const std::string& what);
  ReportFile(ReportFile&& other) noexcept;
  ReportFile& operator=(ReportFile&&) = delete;
  ~ReportFile();

  Result<void> write(const Source& source);

 private:
  ReportFile(std::string path, std::string what, int fd)
      : path_(std::move(path)), what_(std::move(what)), fd_(fd) {}
  std::string path_;
  std::string what_;
  int fd_;
};

}  // namespace rollcall::pam
