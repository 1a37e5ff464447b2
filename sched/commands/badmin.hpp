// The subcommands of badmin that are about hosts' daemons (badmin_hosts.cpp), and what all subcommands run with. Each gives the
// exit status. badmin(8).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/command_words.hpp"
#include "common/io/command.hpp"

namespace rollcall::sched {

using Words = std::vector<std::string>;

// What a subcommand runs with.
struct BatchAdmin {
  io::Stage& stage;
  const char* name;
  CommandWords words;
};

// Asks the user; yes with -f. None: the input ended before an answer; the error was printed.
std::optional<bool> agreed(const BatchAdmin& admin, const std::string& question);
// The hosts that are named; none: this host.
Words hosts_or_here(const BatchAdmin& admin);

int hstartup(const BatchAdmin& admin);
int hshutdown(const BatchAdmin& admin);
int hrestart(const BatchAdmin& admin);
int hforget(const BatchAdmin& admin);
// Of hforget: clusters, named without "@".
int forget_clusters(const BatchAdmin& admin, const Words& clusters);

}  // namespace rollcall::sched
