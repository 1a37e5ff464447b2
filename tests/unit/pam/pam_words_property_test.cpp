// What holds for any words and any bytes: rewriting keeps them, printed values read back, nothing else is
// accepted.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "common/base/task_geometry.hpp"
#include "common/conf/lsf_conf.hpp"
#include "pam/policy/command_rewrite.hpp"
#include "pam/policy/expected_tasks.hpp"
#include "pam/policy/launcher_table.hpp"

namespace rollcall::pam {
namespace {

using Words = std::vector<std::string>;

// Words as scripts write them, words that look like options, and any bytes but NUL.
rc::Gen<std::string> word() {
  return rc::gen::weightedOneOf<std::string>(
      {{3, rc::gen::element<std::string>("", " ", "-n", "-np", "--np=4", "-g", "-mpi", "--", "-", ":", "4",
                                         "-x", "a b", "it's", "\"", "$HOME", "line\nbreak", "TaskStarter",
                                         "A=1", "--mca", "-genv", "prog", "mpirun", "srun", "-n4")},
       {2, rc::gen::container<std::string>(rc::gen::nonZero<char>())}});
}
rc::Gen<Words> words() { return rc::gen::container<Words>(word()); }

Callback callback() { return {"/b/TaskStarter", "h", 1, "/c", "/s", "T"}; }

// argv without every run of the callback's words.
Words without_ours(const Words& argv, const Words& ours) {
  Words rest;
  for (std::size_t i = 0; i < argv.size();) {
    const bool here = argv.size() - i >= ours.size() &&
                      std::equal(ours.begin(), ours.end(), argv.begin() + static_cast<std::ptrdiff_t>(i));
    if (here)
      i += ours.size();
    else
      rest.push_back(argv[i++]);
  }
  return rest;
}

RC_GTEST_PROP(RewriteProperty, Method1KeepsEveryOtherWordAndItsOrder, ()) {
  auto command = *words();
  command.insert(command.begin(), "pjl");
  command.push_back("job");
  const auto count = *rc::gen::inRange<std::size_t>(1, command.size());
  Words argv{"-g", std::to_string(count)};
  argv.insert(argv.end(), command.begin(), command.end());

  const auto options = parse_options(argv);
  RC_ASSERT(options.has_value());
  const auto plan = rewrite(*options, callback(), {});
  RC_ASSERT(plan.has_value());
  const Words ours = callback_words(callback());
  Words expected(command.begin(), command.begin() + static_cast<std::ptrdiff_t>(count));
  expected.insert(expected.end(), ours.begin(), ours.end());
  expected.insert(expected.end(), command.begin() + static_cast<std::ptrdiff_t>(count), command.end());
  RC_ASSERT(plan->argv == expected);
  RC_ASSERT(plan->environment.empty());
}

RC_GTEST_PROP(RewriteProperty, Method2AndBareJobsKeepEveryWord, (bool bare)) {
  auto command = *words();
  command.insert(command.begin(), "wrapper");
  Words argv = command;
  if (!bare) argv.insert(argv.begin(), "-g");
  const auto options = parse_options(argv);
  RC_ASSERT(options.has_value());
  auto plan = rewrite(*options, callback(), {"", "/b/default_pjl_wrapper"});
  RC_ASSERT(plan.has_value());
  if (bare) {
    RC_ASSERT(plan->argv.front() == "/b/default_pjl_wrapper");
    plan->argv.erase(plan->argv.begin());
  }
  RC_ASSERT(plan->argv == command);
  RC_ASSERT(plan->inserted == 0u);
}

RC_GTEST_PROP(RewriteProperty, MpiKeepsEveryWordOrRefuses, ()) {
  const auto launcher =
      *rc::gen::element<std::string>("mpirun", "mpirun.openmpi", "mpiexec.hydra", "srun", "gmmpirun_wrapper");
  Words command = *words();
  command.insert(command.begin(), launcher);
  Options options;
  options.mode = Options::Mode::mpi;
  options.command = command;
  const auto plan = rewrite(options, callback(), {});
  if (!plan) {
    RC_ASSERT(plan.error().kind == ErrorKind::usage);
    RC_DISCARD("refused");
  }
  const Words ours = callback_words(callback());
  RC_ASSERT(without_ours(plan->argv, ours) == command);
  RC_ASSERT(plan->inserted % ours.size() == 0u && plan->inserted > 0u);
  RC_ASSERT(plan->argv.size() == command.size() + plan->inserted);
}

RC_GTEST_PROP(OptionsProperty, AnyWordsAreReadOrRefusedInOneLine, ()) {
  const auto options = parse_options(*words());
  if (!options) {
    RC_ASSERT(options.error().kind == ErrorKind::usage);
    RC_ASSERT(options.error().text.find('\n') == std::string::npos);
  } else {
    RC_ASSERT(options->help || options->version || !options->command.empty());
    if (options->mode == Options::Mode::method1) {
      RC_ASSERT(options->launcher_words >= 1u);
      RC_ASSERT(options->launcher_words < options->command.size());
    }
  }
}

RC_GTEST_PROP(LauncherTableProperty, TasksInAnyWordsAreInRange, ()) {
  const auto line = *words();
  for (const WordsAre kind : {WordsAre::launcher_only, WordsAre::launcher_then_job}) {
    const auto tasks = tasks_in_words(line, kind);
    if (tasks) RC_ASSERT(*tasks >= 1 && *tasks <= 10'000'000);
  }
}

// A geometry of n ids in groups, in any order.
rc::Gen<std::vector<std::vector<int>>> groups() {
  return rc::gen::exec([] {
    std::vector<int> ids(*rc::gen::inRange<std::size_t>(1, 40));
    std::iota(ids.begin(), ids.end(), 0);
    for (std::size_t i = ids.size(); i > 1; --i)
      std::swap(ids[i - 1], ids[*rc::gen::inRange<std::size_t>(0, i)]);
    std::vector<std::vector<int>> result(1);
    for (const int id : ids) {
      if (!result.back().empty() && *rc::gen::arbitrary<bool>()) result.emplace_back();
      result.back().push_back(id);
    }
    return result;
  });
}

RC_GTEST_PROP(TaskGeometryProperty, WhatIsPrintedReadsBack, (bool escaped)) {
  const auto wanted = *groups();
  std::string text = "{";
  for (const auto& group : wanted) {
    text += "(";
    for (const int& id : group) text += (&id == &group.front() ? "" : ",") + std::to_string(id);
    text += ")";
  }
  text += "}";
  std::string written;
  for (const char c : text) {
    if (escaped && std::string_view("{}(),").find(c) != std::string_view::npos) written += '\\';
    written += c;
  }
  const auto geometry = TaskGeometry::parse(written);
  RC_ASSERT(geometry.has_value());
  RC_ASSERT(geometry->groups() == wanted);
  RC_ASSERT(geometry->text() == text);
}

RC_GTEST_PROP(TaskGeometryProperty, PlacingKeepsEveryTask, ()) {
  std::string text = "{";
  int next = 0;
  for (const auto& group : *groups()) {
    text += "(";
    for (std::size_t i = 0; i < group.size(); ++i) text += (i ? "," : "") + std::to_string(next++);
    text += ")";
  }
  const auto geometry = TaskGeometry::parse(text + "}");
  HostList hosts;
  for (int i = 0; i < 40; ++i) hosts.add("n" + std::to_string(i), 1);
  const auto placed = geometry->place_on(hosts);
  RC_ASSERT(placed.has_value());
  RC_ASSERT(placed->slots() == geometry->tasks());
  RC_ASSERT(HostList::from_lsb_mcpu_hosts(placed->lsb_mcpu_hosts_text()).value() == *placed);
}

RC_GTEST_PROP(HostListProperty, BothSpellingsReadBack, ()) {
  const auto numbers = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 9));
  HostList list;
  for (const int number : numbers) list.add("n" + std::to_string(number), 1 + number);
  RC_ASSERT(HostList::from_lsb_mcpu_hosts(list.lsb_mcpu_hosts_text()).value() == list);
  RC_ASSERT(HostList::from_lsb_hosts(list.lsb_hosts_text()).value() == list);
}

RC_GTEST_PROP(LsfConfProperty, WhatIsReadIsPrintedAndReadsBack, ()) {
  const auto lines = *rc::gen::container<Words>(rc::gen::oneOf(
      word(),
      rc::gen::map(word(),
                   [](const std::string& value) { return "A" + std::to_string(value.size()) + "=" + value; }),
      rc::gen::map(word(), [](const std::string& value) { return "B = \"" + value + "\""; })));
  std::string text;
  for (const auto& line : lines)
    if (conf::LsfConf::parse(line, "f")) text += line + "\n";
  const auto conf = conf::LsfConf::parse(text, "f");
  if (!conf) RC_DISCARD("broken lines");
  const auto again = conf::LsfConf::parse(conf->text(), "f");
  RC_ASSERT(again.has_value());
  RC_ASSERT(again->settings().size() == conf->settings().size());
  for (const auto& [name, setting] : conf->settings()) RC_ASSERT(again->value(name) == setting.value);
}

}  // namespace
}  // namespace rollcall::pam
