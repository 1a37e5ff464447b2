// pam's tables of the launchers' options are made from those of the wrappers: both must read each option alike.
#include <gtest/gtest.h>
#include <stdio.h>

#include <map>
#include <memory>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/shell_quote.hpp"
#include "pam/policy/launcher_table_data.hpp"

namespace rollcall::pam {
namespace {

// The lines that a shell prints in which the wrappers' tables are read. `words` are its arguments.
std::vector<std::string> lines_of_shell(const std::string& body, const std::vector<std::string_view>& words) {
  const std::string script =
      "set -fu; PJL_KIND=; for part in pjloptions pjltables pjlslurm; do . " ROLLCALL_WRAPPERS
      "/$part.sh; done; " +
      body;
  std::string command = "sh -c " + shell_quote(script) + " sh";
  for (const std::string_view word : words) command += " " + shell_quote(word);
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string text;
  for (int c; pipe && (c = fgetc(pipe.get())) != EOF;) text += static_cast<char>(c);
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// What the wrappers' shell functions say of each option of `table`: its PJL_KIND, "" where they do not know it.
std::map<std::string, std::string> kinds_in_wrappers(const LauncherTable& table) {
  std::vector<std::string_view> names;
  for (const auto options : {table.options, table.more})
    for (const LauncherOption& option : options) names.push_back(option.name);
  std::map<std::string, std::string> kinds;
  for (const std::string& line : lines_of_shell("for name; do pjl_option " + std::string(table.launcher) +
                                                    " \"$name\"; echo \"$name=$PJL_KIND\"; done",
                                                names))
    kinds[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
  return kinds;
}

// How many words each PJL_KIND takes, as the head of wrappers/pjloptions.sh says; -1 for a kind it does not name.
int words_of(const std::string& kind) {
  static const std::map<std::string, int> words{
      {"0", 0},     {"1", 1},    {"2", 2},  {"np", 1},     {"pernode", 1}, {"each", 0}, {"mapby", 1},
      {"hosts", 1}, {"pair", 2}, {"wd", 1}, {"infile", 1}, {"drop0", 0},   {"drop1", 1}};
  const auto found = words.find(kind);
  return found == words.end() ? -1 : found->second;
}

// Of scripts for launchers that are gone: @pam in wrappers/pjltables.sh.
const std::set<std::string_view> kOfPamAlone{"all-local", "nolocal", "rsh", "ssh", "wd", "x"};

class TablesAgree : public ::testing::TestWithParam<const LauncherTable*> {};

TEST_P(TablesAgree, OnTheWordsOfEveryOption) {
  const LauncherTable& table = *GetParam();
  const auto kinds = kinds_in_wrappers(table);
  ASSERT_FALSE(kinds.empty()) << "the wrappers' functions could not be run";
  for (const auto options : {table.options, table.more})
    for (const LauncherOption& option : options) {
      const auto found = kinds.find(std::string(option.name));
      ASSERT_NE(found, kinds.end()) << option.name;
      const std::string& kind = found->second;
      // What the wrappers do not know ends their own reading with an error; it cannot be read wrongly.
      if (kind.empty()) {
        EXPECT_TRUE(kOfPamAlone.contains(option.name)) << table.launcher << " " << option.name;
        continue;
      }
      EXPECT_EQ(kind == "np", option.means == Means::tasks) << table.launcher << " " << option.name;
      if (kind == "infile") {  // the reading ends there, so what it takes does not matter
        EXPECT_EQ(option.means, Means::job_elsewhere) << table.launcher << " " << option.name;
      } else {
        EXPECT_EQ(words_of(kind), option.values) << table.launcher << " " << option.name << ": " << kind;
      }
    }
}

// The names as the shell reads them: what pam's tables are made with could pass over some.
TEST(TablesOfTheWrappers, EveryOptionIsInPamsTable) {
  const std::vector<std::pair<std::string, std::span<const LauncherOption>>> tables{
      {"PJL_OPENMPI_OPTIONS", kOpenMpi.options},
      {"PJL_HYDRA_OPTIONS", kHydra.options},
      {"PJL_INTELMPI_OPTIONS", kIntelMpi.more},
      {"PJL_SLURM_OPTIONS", kSlurm.options},
      {"PJL_OLD_OPTIONS", kOpenMpiOldScripts.more}};
  for (const auto& [variable, options] : tables) {
    std::vector<std::string> of_pam;
    for (const LauncherOption& option : options) of_pam.emplace_back(option.name);
    EXPECT_GT(of_pam.size(), 20U) << variable;
    EXPECT_EQ(lines_of_shell("skip=; for word in $" + variable +
                                 "; do case $word in *@wrappers:) skip=yes ;; *:) skip= ;; "
                                 "*) [ \"$skip\" ] || echo \"$word\" ;; esac; done",
                             {}),
              of_pam)
        << variable;
  }
}

INSTANTIATE_TEST_SUITE_P(Launchers, TablesAgree,
                         ::testing::Values(&kOpenMpi, &kHydra, &kIntelMpi, &kSlurm, &kOpenMpiOldScripts),
                         [](const auto& tested) {
                           return std::string(tested.param->launcher) + std::to_string(tested.index);
                         });

}  // namespace
}  // namespace rollcall::pam
