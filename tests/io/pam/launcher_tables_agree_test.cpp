// pam and the wrappers each have tables of the launchers' options: both must count the same words for the same option.
#include <gtest/gtest.h>
#include <stdio.h>

#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "common/base/shell_quote.hpp"
#include "pam/policy/launcher_table_data.hpp"

namespace rollcall::pam {
namespace {

// What the wrappers' shell functions say of each option of `table`: its PJL_KIND, "" where they do not know it.
std::map<std::string, std::string> kinds_in_wrappers(const LauncherTable& table) {
  std::string script = "set -u; PJL_KIND=; . " ROLLCALL_WRAPPERS "/pjloptions.sh; . " ROLLCALL_WRAPPERS
                       "/pjlslurm.sh; for name; do pjl_option " +
                       std::string(table.launcher) + " \"$name\"; echo \"$name=$PJL_KIND\"; done";
  std::string command = "sh -c " + shell_quote(script) + " sh";
  for (const auto options : {table.options, table.more})
    for (const LauncherOption& option : options) command += " " + shell_quote(option.name);
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string text;
  for (int c; pipe && (c = fgetc(pipe.get())) != EOF;) text += static_cast<char>(c);
  std::map<std::string, std::string> kinds;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
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
      if (kind.empty()) continue;
      EXPECT_EQ(kind == "np", option.means == Means::tasks) << table.launcher << " " << option.name;
      if (kind == "infile") {  // never read on from: what it takes does not matter
        EXPECT_EQ(option.means, Means::job_elsewhere) << table.launcher << " " << option.name;
      } else {
        EXPECT_EQ(words_of(kind), option.values) << table.launcher << " " << option.name << ": " << kind;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Launchers, TablesAgree,
                         ::testing::Values(&kOpenMpi, &kHydra, &kIntelMpi, &kSlurm, &kOpenMpiOldScripts),
                         [](const auto& tested) {
                           return std::string(tested.param->launcher) + std::to_string(tested.index);
                         });

}  // namespace
}  // namespace rollcall::pam
