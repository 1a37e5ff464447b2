// Command: one of the ls* commands, as main.cpp sees it.
//
// All of them are one program under several names (a symbolic link for each): they share a client, a configuration and
// their options' grammar, and a host's page cache holds them once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/command_words.hpp"
#include "common/conf/cluster_files.hpp"

namespace rollcall::elim {

// The exit status of an LSF command that could not do what it was asked (LSF's -1), a wrong command line included.
inline constexpr int kFailed = 255;

// What a command runs with.
class Stage {
 public:
  explicit Stage(std::string command) : command_(std::move(command)) {}

  const std::string& command() const { return command_; }
  // The checked configuration. Where lsf.shared or lsf.cluster have errors: what lsf.conf says, with a warning, since LIM
  // runs on with what it had; where lsf.conf has, every error is printed and the program ends with kFailed.
  const conf::ClusterFiles& files();

  // One line "COMMAND: TEXT" on standard error. Gives kFailed, so that a command can return it.
  int fail(const std::string& text) const;
  // All of `text` on standard output, or a failure. The first failure is told, and the whole command has failed then,
  // whatever it goes on to do.
  int print(const std::string& text);
  bool output_failed() const { return output_failed_; }

 private:
  std::string command_;
  bool output_failed_ = false;
  std::optional<conf::ClusterFiles> files_;
};

struct Command {
  CommandShape shape;  // without -h -V -json, which every command has
  std::function<int(Stage&, const CommandWords&)> run;
};

// The commands, in files of their own.
Command lsid_command();
Command lsclusters_command();
Command lsinfo_command();
Command lshosts_command();
Command lsload_command();
Command lsmon_command();
Command lsplace_command();
Command lseligible_command();
Command lsresreq_command();
Command lsadmin_command();

}  // namespace rollcall::elim
