// How a launcher's words are read (the same for every launcher; the tables say what differs):
//
//   command     = LAUNCHER application { ":" application }
//   application = { option } [ "--" ] JOB { any word but ":" }
//   option      = "-" NAME { VALUE } | "--" NAME { VALUE } | "--" NAME "=" VALUE
//               | "-" letters, the last one perhaps with its VALUE attached        (Slurm)
#include "pam/policy/launcher_table.hpp"

#include <algorithm>
#include <array>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "pam/policy/launcher_table_data.hpp"

namespace rollcall::pam {
namespace {

using Words = std::span<const std::string>;

// ---- which tables a launcher's name stands for

struct LauncherName {
  std::string_view file;
  std::array<const LauncherTable*, 2> tables;  // the second one or nullptr; tried in turn
  bool wrapper = false;
};

constexpr LauncherName kNames[] = {
    {"mpirun.openmpi", {&kOpenMpi}},
    {"mpiexec.openmpi", {&kOpenMpi}},
    {"orterun", {&kOpenMpi}},
    {"prterun", {&kOpenMpi}},
    {"prun", {&kOpenMpi}},
    {"oshrun", {&kOpenMpi}},
    {"mpiexec.hydra", {&kHydra, &kIntelMpi}},
    {"mpirun.hydra", {&kHydra}},
    {"mpirun.mpich", {&kHydra}},
    {"mpiexec.mpich", {&kHydra}},
    {"srun", {&kSlurm}},
    {"openmpi_wrapper", {&kOpenMpi}, true},
    {"mpich_wrapper", {&kHydra}, true},
    {"mpich2_wrapper", {&kHydra}, true},
    {"intelmpi_wrapper", {&kIntelMpi}, true},
    {"srun_wrapper", {&kSlurm}, true},
    {"gmmpirun_wrapper", {&kOpenMpiOldScripts, &kHydraOldScripts}, true},
    {"mpichp4_wrapper", {&kOpenMpiOldScripts, &kHydraOldScripts}, true},
    {"mvapich_wrapper", {&kOpenMpiOldScripts, &kHydraOldScripts}, true},
};
// Every MPI installs these two. No option that both tables know takes a different number of words (a test
// holds it), so a line that both can read has the same job word in both.
constexpr LauncherName kPlain{"mpirun", {&kOpenMpi, &kHydra}};
constexpr LauncherName kPlainOfIntel{"mpirun", {&kIntelMpi}};

std::string_view file_of(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

const LauncherName* exact_name(std::string_view path) {
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                   [&](const LauncherName& name) { return name.file == file_of(path); });
  return found == std::end(kNames) ? nullptr : found;
}

// The word's name decides where it is known, else the name of the file behind it.
const LauncherName* launcher_named(std::string_view word, std::string_view resolved) {
  if (const LauncherName* name = exact_name(word)) return name;
  if (const LauncherName* name = exact_name(resolved)) return name;
  const auto plain = [](std::string_view path) {
    return file_of(path) == "mpirun" || file_of(path) == "mpiexec";
  };
  if (!plain(word) && !plain(resolved)) return nullptr;
  const bool intel = word.find("/intel") != word.npos || resolved.find("/intel") != resolved.npos;
  return intel ? &kPlainOfIntel : &kPlain;
}

// ---- one option

struct Option {
  enum class Kind { known, unknown, no_value, job_elsewhere };
  Kind kind = Kind::unknown;
  std::size_t next = 0;               // the first word after it
  const std::string* word = nullptr;  // as it was written
  Means means = Means::nothing;
  std::string value;  // of an option that means a number
};

// The option of that name; with getopt any beginning of a long name that fits one option only. nullptr where
// none is.
const LauncherOption* option_named(const LauncherTable& table, std::string_view name) {
  for (const auto options : {table.options, table.more})
    for (const LauncherOption& option : options)
      if (option.name == name) return &option;
  if (table.dashes != Dashes::getopt || name.size() < 2) return nullptr;
  const LauncherOption* begun = nullptr;
  for (const LauncherOption& option : table.options) {
    if (!option.name.starts_with(name)) continue;
    if (begun) return nullptr;
    begun = &option;
  }
  return begun;
}

// "--name": for getopt a name of one letter has one dash only.
const LauncherOption* long_option_named(const LauncherTable& table, std::string_view name) {
  return table.dashes == Dashes::getopt && name.size() < 2 ? nullptr : option_named(table, name);
}

// The option in words[at], whose first value is `attached` where that is set.
Option with_values(const LauncherOption& option, Words words, std::size_t at,
                   const std::optional<std::string>& attached) {
  Option result{Option::Kind::known, at + 1, &words[at], option.means, ""};
  std::size_t wanted = option.values;
  const auto value = [&]() { return attached ? *attached : at + 1 < words.size() ? words[at + 1] : ""; };
  if (option.pair_may_join && value().find('=') != std::string::npos) wanted = 1;
  if (attached && wanted > 0) --wanted;
  if (wanted > words.size() - (at + 1)) return {Option::Kind::no_value, words.size(), &words[at], {}, ""};
  if (option.means == Means::job_elsewhere) result.kind = Option::Kind::job_elsewhere;
  if (option.means == Means::tasks || option.means == Means::per_host)
    result.value = option.values == 0 ? "1" : value();
  result.next += wanted;
  return result;
}

// "-vvn4", "-N", "-K1": letters, the last of which may have a value.
Option read_letters(const LauncherTable& table, Words words, std::size_t at) {
  const std::string_view letters = std::string_view(words[at]).substr(1);
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const LauncherOption* option = option_named(table, letters.substr(i, 1));
    if (!option) break;
    const std::string rest(letters.substr(i + 1));
    const bool last = rest.empty() || option->values > 0 || option->attached_only;
    if (!last && option->means == Means::nothing) continue;
    return with_values(*option, words, at, rest.empty() ? std::nullopt : std::optional(rest));
  }
  return {Option::Kind::unknown, at + 1, &words[at], {}, ""};
}

// words[at] begins with '-' and is longer than that.
Option read_option(const LauncherTable& table, Words words, std::size_t at) {
  const std::string_view word = words[at];
  const bool two_dashes = word.starts_with("--");
  if (table.dashes == Dashes::getopt && !two_dashes) return read_letters(table, words, at);
  const std::string_view name = word.substr(two_dashes ? 2 : 1);
  if (const LauncherOption* option = long_option_named(table, name))
    return with_values(*option, words, at, {});
  const std::size_t equals = name.find('=');
  if (equals != std::string_view::npos)
    if (const LauncherOption* option = long_option_named(table, name.substr(0, equals)))
      return with_values(*option, words, at, std::string(name.substr(equals + 1)));
  return {Option::Kind::unknown, at + 1, &words[at], {}, ""};
}

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-' && word != "--"; }

// ---- one command line

constexpr const char* kAdvice = "; use -g N, where N counts the launcher's words";

Error cannot_read(std::string_view launcher, const std::string& problem) {
  return usage_error("-mpi: " + std::string(launcher) + ": " + problem + kAdvice);
}

// `launcher` is the user's word; which launcher it is may be a guess.
Error option_error(std::string_view launcher, const Option& option) {
  const std::string name = printable(*option.word);
  switch (option.kind) {
    case Option::Kind::no_value:
      return usage_error("-mpi: " + std::string(launcher) + ": option " + name + " has no value");
    case Option::Kind::job_elsewhere:
      return usage_error("-mpi: " + std::string(launcher) + ": with option " + name +
                         " the job is not on the command line; use a wrapper (-g without a number)");
    default:
      return cannot_read(launcher, "unknown option " + name);
  }
}

// What the options of one application ask for.
struct Asked {
  std::optional<int> tasks;
  std::optional<int> per_host;
  bool names_hosts = false;

  void hear(const Option& option) {
    if (option.means == Means::tasks) tasks = parse_whole(option.value, 1, kMaxTasks);
    if (option.means == Means::per_host) per_host = parse_whole(option.value, 1, kMaxTasks);
    names_hosts |= option.means == Means::hosts;
  }
  // As tasks_per_host() tells it.
  std::optional<int> on_each_host() const {
    if (tasks || !per_host) return std::nullopt;
    return names_hosts ? 0 : *per_host;
  }
};

struct Application {
  std::size_t job = 0;
  Asked asked;
};

Result<Application> read_application(const LauncherTable& table, Words words, std::size_t at) {
  Application application;
  while (at < words.size() && is_option(words[at])) {
    const Option option = read_option(table, words, at);
    if (option.kind != Option::Kind::known) return option_error(file_of(words[0]), option);
    application.asked.hear(option);
    at = option.next;
  }
  if (at < words.size() && words[at] == "--") ++at;
  if (at >= words.size() || words[at] == ":") return cannot_read(file_of(words[0]), "found no job word");
  application.job = at;
  return application;
}

Result<JobPlace> find_with(const LauncherTable& table, Words words) {
  JobPlace place;
  place.launcher = table.launcher;
  long long sum = 0;
  bool all_known = true;
  for (std::size_t at = 1;; ++at) {
    const auto application = read_application(table, words, at);
    if (!application) return application.error();
    place.jobs.push_back(application->job);
    all_known = all_known && application->asked.tasks.has_value();
    sum += application->asked.tasks.value_or(0);
    place.per_host = place.jobs.size() == 1 ? application->asked.on_each_host() : std::nullopt;
    at = application->job;
    while (at < words.size() && words[at] != ":") ++at;
    if (at == words.size()) break;
  }
  if (all_known && sum <= kMaxTasks) place.tasks = static_cast<int>(sum);
  return place;
}

// The tasks that the launcher's words ask for: all words are the launcher's, or all up to the first that is no option.
Asked asked_with(const LauncherTable& table, Words words, WordsAre kind) {
  Asked asked;
  for (std::size_t at = 1; at < words.size();) {
    if (!is_option(words[at])) {
      if (kind == WordsAre::launcher_then_job) break;
      ++at;  // the value of an option we don't know
      continue;
    }
    const Option option = read_option(table, words, at);
    asked.hear(option);
    at = option.next;
  }
  return asked;
}

std::optional<int> tasks_with(const LauncherTable& table, Words words, WordsAre kind) {
  if (kind == WordsAre::launcher_then_job)
    if (const auto place = find_with(table, words)) return place->tasks;
  return asked_with(table, words, kind).tasks;
}

std::optional<int> per_host_with(const LauncherTable& table, Words words, WordsAre kind) {
  if (kind == WordsAre::launcher_then_job)
    if (const auto place = find_with(table, words)) return place->per_host;
  return asked_with(table, words, kind).on_each_host();
}

using Answer = std::optional<int>(const LauncherTable&, Words, WordsAre);

// Of the tables that the launcher may have.
std::optional<int> first_answer(Words words, WordsAre kind, std::string_view resolved, Answer answer) {
  const LauncherName* name = words.empty() ? nullptr : launcher_named(words[0], resolved);
  if (!name) return std::nullopt;
  for (const LauncherTable* table : name->tables)
    if (table)
      if (const auto found = answer(*table, words, kind)) return found;
  return std::nullopt;
}

Error unknown_launcher(const std::string& word) {
  return usage_error("-mpi: " + printable(word) +
                     " is no launcher whose options are known (mpirun, mpiexec, " +
                     "mpirun.openmpi, orterun, mpiexec.hydra, srun)" + kAdvice);
}

}  // namespace

Result<JobPlace> find_job(Words words, std::string_view resolved) {
  if (words.empty()) return usage_error("-mpi: no launcher named");
  const LauncherName* name = launcher_named(words[0], resolved);
  if (!name) return unknown_launcher(words[0]);
  auto place = find_with(*name->tables[0], words);
  if (place || !name->tables[1]) return place;
  auto second = find_with(*name->tables[1], words);
  return second ? second : place;
}

bool known_launcher(std::string_view word, std::string_view resolved) {
  const LauncherName* name = launcher_named(word, resolved);
  return name && !name->wrapper;
}

bool is_hydra(std::string_view word, std::string_view resolved) {
  const LauncherName* name = launcher_named(word, resolved);
  return name && !name->wrapper && name->tables[0] == &kHydra;
}

std::optional<int> tasks_in_words(Words words, WordsAre kind, std::string_view resolved) {
  return first_answer(words, kind, resolved, tasks_with);
}

std::optional<int> tasks_per_host(Words words, WordsAre kind, std::string_view resolved) {
  if (first_answer(words, kind, resolved, tasks_with)) return std::nullopt;
  return first_answer(words, kind, resolved, per_host_with);
}

}  // namespace rollcall::pam
