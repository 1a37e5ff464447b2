// Command: one of the commands that people type (ls*, b*), as the main() of their program sees it.
//
// Many commands are one program under several names (a symbolic link for each): they share a client, a configuration and an
// option grammar, and the page cache of a host holds them once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/command_words.hpp"
#include "common/conf/cluster_files.hpp"

namespace rollcall::io {

// The exit status of a failed LSF command (LSF's -1), also for a wrong command line.
inline constexpr int kFailed = 255;

// A line on standard error with control characters replaced, as in print(): mbatchd's text may contain a user's words.
void print_error_line(const std::string& line);

// The environment of one command: its options, configuration and output.
class Stage {
 public:
  explicit Stage(std::string command, std::string product = {})
      : command_(std::move(command)), product_(std::move(product)) {}

  const std::string& command() const { return command_; }
  const std::string& product() const { return product_; }  // what -V prints
  // The checked configuration. If lsf.shared or lsf.cluster have errors: what lsf.conf says, with a warning, since the daemons go
  // on with their old files. If lsf.conf has errors, they are printed and the program ends with kFailed.
  const conf::ClusterFiles& files();
  // The configuration for asking mbatchd or a LIM. Where LSF_MASTER_LIST is set: lsf.conf and LSF_ENVDIR/hosts alone, without
  // hosts, resources and models, because a Host section may have thousands of rows. Otherwise files().
  const conf::ClusterFiles& files_to_ask();

  // Prints one line "COMMAND: TEXT" on standard error. Gives kFailed, so that a command can return it.
  int fail(const std::string& text) const;
  // Writes all of `text` to standard output; control characters except newline and tab become '?'. The first write error is
  // reported and makes the command's exit status a failure, even if it continues.
  int print(const std::string& text);
  // Writes bytes unchanged: the contents of the user's own job or file, and our own drawings.
  int print_raw(const std::string& text);
  bool output_failed() const { return output_failed_; }
  // The next line of standard input; none at its end.
  static std::optional<std::string> read_line();

 private:
  std::string command_;
  std::string product_;
  bool output_failed_ = false;
  std::optional<conf::ClusterFiles> files_;
  std::optional<conf::ClusterFiles> to_ask_;
};

struct Command {
  CommandShape shape;  // -h and -V need not be in it: every command has them
  std::function<int(Stage&, const CommandWords&)> run;
  // For a command with its own option grammar (bsub, blaunch), which then also handles -h and -V.
  std::function<int(Stage&, const std::vector<std::string>& words)> run_raw;
};

// The main() of such a program. The name it is called by selects the command; under its own name, `program`, the first word does.
// `product`: what -V prints. Gives the exit status.
int run_commands(const std::string& program, const std::string& product, std::vector<Command> commands,
                 int argc, char** argv);

}  // namespace rollcall::io
