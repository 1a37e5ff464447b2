#include "pam/policy/command_rewrite.hpp"

#include "common/base/callback_word.hpp"
#include "common/base/host_list.hpp"
#include "common/base/shell_quote.hpp"
#include "pam/policy/launcher_table.hpp"

namespace rollcall::pam {
namespace {

// A copy of `command` with `inserted` before each word that `places` (ascending) names.
std::vector<std::string> insert_before(const std::vector<std::string>& command,
                                       const std::vector<std::size_t>& places,
                                       const std::vector<std::string>& inserted) {
  std::vector<std::string> words;
  words.reserve(command.size() + places.size() * inserted.size());
  auto place = places.begin();
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (place != places.end() && *place == i) {
      words.insert(words.end(), inserted.begin(), inserted.end());
      ++place;
    }
    words.push_back(command[i]);
  }
  return words;
}

LaunchPlan plan_with(const Options& options, const Callback& callback, const LauncherFacts& facts,
                     const std::vector<std::size_t>& places) {
  const auto inserted = callback_words(callback);
  LaunchPlan plan;
  plan.argv = insert_before(options.command, places, inserted);
  plan.inserted = places.size() * inserted.size();
  if (facts.hydra_lacks_blaunch && is_hydra(options.command[0], facts.resolved)) {
    plan.environment = {{"HYDRA_LAUNCHER", "ssh"}};
    plan.note = "LSF_BINDIR has no blaunch, for which Hydra would wait: HYDRA_LAUNCHER=ssh is set";
  }
  return plan;
}

// A wrapper expands LSF_TS_OPTIONS without quotes, so that its words become arguments. The shell then splits
// at blanks and replaces wildcards by the files they match.
bool survives_expansion(const std::string& word) { return word.find_first_of(" \t\r\n\v\f*?[") == word.npos; }

Result<LaunchPlan> plan_method2(std::vector<std::string> argv, Callback callback) {
  // The only optional word: the file was found by ROLLCALL_KEY_FILE or HOME, which most launchers pass on.
  if (!callback.one_word && !survives_expansion(callback.key_file)) callback.key_file.clear();
  const auto words = callback_words(callback);
  std::string ts_options;
  for (const std::string& word : words) {
    if (!survives_expansion(word))
      return usage_error("-g without a number: found " + printable(word) +
                         ", expected a path without blanks and wildcards: LSF_TS_OPTIONS cannot carry it");
    if (&word == &words.front()) continue;
    ts_options += (ts_options.empty() ? "" : " ") + word;
  }
  LaunchPlan plan;
  plan.argv = std::move(argv);
  plan.environment = {{"LSF_TS", callback.starter_path}, {"LSF_TS_OPTIONS", ts_options}};
  return plan;
}

}  // namespace

std::vector<std::string> callback_words(const Callback& callback) {
  CallbackWords said;
  const auto add = [&](char letter, const std::string& value) {
    if (!value.empty()) said.emplace_back(letter, value);
  };
  add('p', callback.hosts + ":" + std::to_string(callback.port));
  add('c', callback.env_dir);
  add('s', callback.server_dir);
  add('a', callback.host_type);
  add('k', callback.key_file);
  add('r', callback.relay);
  if (callback.one_word) return {callback.starter_path, join_callback(said)};
  std::vector<std::string> words{callback.starter_path};
  for (const auto& [letter, value] : said) words.insert(words.end(), {std::string("-") + letter, value});
  return words;
}

Result<LaunchPlan> rewrite(const Options& options, const Callback& callback, const LauncherFacts& facts) {
  switch (options.mode) {
    case Options::Mode::method1:
      return plan_with(options, callback, facts, {options.launcher_words});
    case Options::Mode::mpi: {
      const auto place = find_job(options.command, facts.resolved);
      if (!place) return place.error();
      return plan_with(options, callback, facts, place->jobs);
    }
    case Options::Mode::method2:
      return plan_method2(options.command, callback);
    case Options::Mode::bare:
      break;
  }
  std::vector<std::string> argv{facts.default_wrapper};
  argv.insert(argv.end(), options.command.begin(), options.command.end());
  return plan_method2(std::move(argv), callback);
}

std::string command_text(const Options& options) {
  std::string text;
  for (const std::string& word : options.command)
    text += (&word == &options.command.front() ? "" : " ") + word;
  return text;
}

std::string dry_run_text(const LaunchPlan& plan) {
  std::string text;
  for (const auto& [name, value] : plan.environment) text += name + "=" + shell_quote(value) + "\n";
  for (const std::string& word : plan.argv) text += shell_quote(word) + "\n";
  return text;
}

}  // namespace rollcall::pam
