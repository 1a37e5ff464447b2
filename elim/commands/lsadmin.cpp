// lsadmin: the administrator's tool. It runs the subcommand given, or reads subcommands from standard input.
#include "elim/commands/lsadmin.hpp"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <sstream>

#include "common/base/host_list.hpp"

namespace rollcall::elim {
namespace {

struct Subcommand {
  const char* name;
  const char* words;
  const char* meaning;
  int (*run)(const Admin&, const Words&);
};

constexpr Subcommand kSubcommands[] = {
    {"ckconfig", "[-v]", "check the configuration files", ckconfig},
    {"showconf", "lim [-v]", "show the settings of lsf.conf, with -v where each stands", showconf},
    {"reconfig", "[-f] [-v]", "have every LIM read the files anew", reconfig},
    {"limstartup", "[-f] [host ... | all]", "start LIM", limstartup},
    {"limshutdown", "[-f] [host ... | all]", "end LIM", limshutdown},
    {"limrestart", "[-f] [-v] [host ... | all]", "start LIM anew", limrestart},
    {"limlock", "[-l seconds]", "take no more work on this host", limlock},
    {"limunlock", "", "take work again", limunlock},
    {"limdebug", "[-l level | -o] [host ... | all]", "log more (1 to 3), or as usual (-o)", limdebug},
    {"resstartup", "[-f] [host ... | all]", "start RES, which runs the jobs of its host", resstartup},
    {"resshutdown", "[-f] [host ... | all]", "end RES; jobs go on", resshutdown},
    {"resrestart", "[-f] [host ... | all]", "start RES anew; jobs go on", resrestart},
    {"resdebug", "[-l level | -o] [host ... | all]", "log more (1 to 3), or as usual (-o)", resdebug},
};

// LSF's subcommands without effect here.
struct Refused {
  const char* name;
  const char* why;
};
constexpr Refused kRefused[] = {
    {"reslogon", "tasks of lsrun and blaunch are not logged; bacct tells what jobs have used"},
    {"reslogoff", "tasks of lsrun and blaunch are not logged, so there is nothing to switch off"},
    {"restime", "times are not logged; resdebug has RES say what it does, and when"},
    {"limtime", "times are not logged; limdebug has LIM say what it does, and when"},
    {"expire", "hosts are those of lsf.cluster, and none comes or goes by itself"},
};

std::string help_text() {
  std::string text = "Subcommands:\n";
  for (const auto& subcommand : kSubcommands)
    text +=
        std::string("  ") + subcommand.name + " " + subcommand.words + "\n      " + subcommand.meaning + "\n";
  return text + "  help\n  quit\n";
}

int run_subcommand(io::Stage& stage, Words words, bool json) {
  const std::string name = words.front();
  words.erase(words.begin());
  json = std::erase(words, "-json") > 0 || json;
  if (name == "help" || name == "?") return stage.print(help_text());
  for (const auto& subcommand : kSubcommands)
    if (name == subcommand.name) return subcommand.run({stage, name, json}, words);
  for (const auto& refused : kRefused)
    if (name == refused.name) return stage.fail(name + " is not supported: " + refused.why);
  return stage.fail("found the subcommand " + printable(name) + ", expected one of those that help shows");
}

// Gives the status of the last subcommand.
int interactive(io::Stage& stage, bool json) {
  const bool prompting = isatty(STDIN_FILENO) == 1;
  int status = 0;
  std::string line;
  while (true) {
    if (prompting) stage.print("lsadmin>");
    if (!std::getline(std::cin, line)) return status;
    std::istringstream split(line);
    Words words;
    for (std::string word; split >> word;) words.push_back(word);
    if (words.empty()) continue;
    if (words.front() == "quit" || words.front() == "exit") return status;
    status = run_subcommand(stage, words, json);
  }
}

int run_lsadmin(io::Stage& stage, const CommandWords& words) {
  const bool json = words.has("-json");
  return words.operands().empty() ? interactive(stage, json) : run_subcommand(stage, words.operands(), json);
}

}  // namespace

io::Command lsadmin_command() {
  return {{"lsadmin",
           "[subcommand [word ...]]",
           {},
           CommandShape::Order::first,
           "Administers the cluster's LIMs and RESs; without a subcommand it reads them from standard input. "
           "\"lsadmin help\" "
           "lists them."},
          run_lsadmin};
}

}  // namespace rollcall::elim
