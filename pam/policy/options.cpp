// The grammar of pam's words:
//
//   words   = { option } ( "-g" N command | "-g" command | "-mpi" command | [ "--" ] command )  |  "-h" |
//   "-V" option  = "-t" | "-v" | "-n" NUM | "--dry-run" | "--full-table" | "--fold" | "--usage"
//           | long VALUE | long "=" VALUE
//   long    = "--report" | "--plot" | "--timeout-first" | "--launcher-grace"
//   N       = digits: how many words of command are the launcher's, itself included; 1 to one less than all
//   NUM     = digits, 1 to 10000000
//   command = word { word }             any bytes; its first word is not empty
//
// A word after -g made only of digits is N, any other is the launcher (the manual's `-g [num_args]
// pjl_wrapper`). Without -g and -mpi the first word that is no option begins the bare job; it is no launcher, unless "--"
// precedes it.
#include "pam/policy/options.hpp"

#include <span>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "pam/policy/launcher_table.hpp"

namespace rollcall::pam {
namespace {

using Words = std::span<const std::string>;

constexpr const char* kSynopsis =
    "pam [-t] [-v] [-n num_tasks] -g [num_args] pjl [pjl_options] job [job_options]\n"
    "       pam [-t] [-v] [-n num_tasks] -mpi mpirun [mpirun_options] job [job_options]\n"
    "       pam [-t] [-v] [-n num_tasks] job [job_options]\n"
    "       pam -h | -V\n";

// A word as a shell takes it, where that is plain; others are only shown.
std::string typed(const std::string& word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=,+@%-";
  return word.empty() || word.find_first_not_of(kPlain) != std::string::npos ? printable(word) : word;
}

// The words that are left, and the options read so far.
class Reader {
 public:
  explicit Reader(Words words) : words_(words) {}

  Result<Options> read() {
    while (at_ < words_.size()) {
      const std::string& word = words_[at_];
      if (word == "-h" || word == "--help") return alone(&Options::help);
      if (word == "-V" || word == "--version") return alone(&Options::version);
      if (word == "-g") return read_generic();
      if (word == "-mpi") return read_mpi();
      if (word == "--" || !word.starts_with('-')) return read_bare();
      if (auto error = read_option()) return *error;
    }
    return usage_error("found no launcher and no job; pam -h shows how pam is called");
  }

 private:
  Result<Options> alone(bool Options::*what) {
    Options options;
    options.*what = true;
    return options;
  }

  // The rest of the words as the command of `mode`.
  Result<Options> take_command(Options::Mode mode, const char* after) {
    options_.mode = mode;
    options_.command.assign(words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
    if (options_.command.empty())
      return usage_error(std::string(after) + ": found the end of the command line, expected a launcher");
    if (options_.command.front().empty())
      return usage_error(std::string(after) + ": found an empty word, expected a program");
    if (options_.fold && options_.full_table)
      return usage_error("--fold and --full-table exclude each other");
    return options_;
  }

  Result<Options> read_generic() {
    ++at_;
    if (at_ == words_.size() || !all_digits(words_[at_])) return take_command(Options::Mode::method2, "-g");
    const std::string& number = words_[at_++];
    const std::string option = "-g " + number;
    const std::size_t rest = words_.size() - at_;
    auto options = take_command(Options::Mode::method1, option.c_str());
    if (!options) return options;
    const auto count = parse_whole(number, 0, kMaxTasks);
    if (count && *count == 0)
      return usage_error(option + ": expected at least 1, the launcher's word itself");
    if (!count || static_cast<std::size_t>(*count) > rest)
      return usage_error(option + ": only " + std::to_string(rest) + " words follow");
    if (static_cast<std::size_t>(*count) == rest)
      return usage_error(option + ": all words are the launcher's, expected a job after them");
    options->launcher_words = static_cast<std::size_t>(*count);
    return options;
  }

  Result<Options> read_mpi() {
    ++at_;
    if (at_ < words_.size() && words_[at_] == "-auto_place") return auto_place();
    return take_command(Options::Mode::mpi, "-mpi");
  }

  Result<Options> read_bare() {
    const bool as_it_stands = words_[at_] == "--";
    if (as_it_stands)
      ++at_;
    else if (known_launcher(words_[at_]))
      return launcher_as_job();
    return take_command(Options::Mode::bare, "pam");
  }

  // The site's launcher would start another launcher as its tasks, whose error does not say why.
  Error launcher_as_job() const {
    std::string line = "pam";
    for (std::size_t i = 0; i < words_.size(); ++i) line += (i == at_ ? " -mpi " : " ") + typed(words_[i]);
    return usage_error(printable(words_[at_]) +
                       " is a launcher, and stands where the job is expected; type: " + line);
  }

  static Error auto_place() {
    return usage_error("-auto_place is not supported: it belongs to SGI's vendor MPI; use -mpi mpirun or -g");
  }

  // Reads one option before -g. None: it was read; else the error.
  std::optional<Error> read_option() {
    const std::string& word = words_[at_++];
    if (word == "-auto_place") return auto_place();
    if (bool* flag = flag_named(word)) {
      *flag = true;
      return std::nullopt;
    }
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    const bool takes_value = name == "-n" || name == "--report" || name == "--plot" ||
                             name == "--timeout-first" || name == "--launcher-grace";
    if (!takes_value)
      return usage_error("unknown option " + printable(word) + "; pam -h lists the known ones");
    if (equals != std::string::npos) return set(name, word.substr(equals + 1));
    if (at_ == words_.size())
      return usage_error(name + ": found the end of the command line, expected a value");
    const std::string& value = words_[at_++];
    if ((name == "--report" || name == "--plot") && value.starts_with("-"))
      return usage_error(name + ": found the option " + printable(value) + ", expected a file name");
    return set(name, value);
  }

  bool* flag_named(const std::string& word) {
    if (word == "-t") return &options_.no_table;
    if (word == "-v") return &options_.verbose;
    if (word == "--dry-run") return &options_.dry_run;
    if (word == "--full-table") return &options_.full_table;
    if (word == "--fold") return &options_.fold;
    if (word == "--usage") return &options_.usage;
    return nullptr;
  }

  std::optional<Error> set(const std::string& name, const std::string& value) {
    const auto odd = [&](const std::string& expected) {
      return usage_error(name + ": found " + printable(value) + ", expected " + expected);
    };
    if (name == "-n") {
      options_.tasks = parse_whole(value, 1, kMaxTasks);
      if (!options_.tasks) return odd("a number of tasks from 1 to " + std::to_string(kMaxTasks));
    } else if (name == "--report" || name == "--plot") {
      (name == "--report" ? options_.report_file : options_.plot_file) = value;
      if (value.empty()) return odd("a file name");
    } else {
      auto& target = name == "--timeout-first" ? options_.timeout_first : options_.launcher_grace;
      target = parse_seconds(value);
      if (!target) return odd("seconds from 0 to " + std::to_string(kMaxSeconds));
    }
    return std::nullopt;
  }

  Words words_;
  std::size_t at_ = 0;
  Options options_;
};

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& words) { return Reader(words).read(); }

std::string usage_text() {
  return std::string("Usage: ") + kSynopsis +
         "\n"
         "  -g num_args  the first num_args words are the launcher's; TaskStarter goes in before the next "
         "one\n"
         "  -g           no number: the wrapper places TaskStarter ($LSF_TS $LSF_TS_OPTIONS) itself\n"
         "  -mpi         the launcher is Open MPI's, Hydra's, Intel MPI's or Slurm's; the job word is found\n"
         "  -n num_tasks how many tasks must register\n"
         "  -t           no table at the end\n"
         "  -v           say which rules applied and what happens\n"
         "  -h, -V       this text; the version\n"
         "\n"
         "  --dry-run                 print the command that would be started, and start nothing\n"
         "  --report FILE             write a JSON report of the job\n"
         "  --plot FILE               draw the launch as an SVG page: every host's tasks by time\n"
         "  --timeout-first SECONDS   end the job when no task has registered by then\n"
         "  --launcher-grace SECONDS  end the launcher that long after the last task\n"
         "  --usage                   a second table: what each task has used\n"
         "  --full-table, --fold      one row per task; rows of equal tasks as ranges\n"
         "\n"
         "All of pam's options stand before -g, -mpi or the job. pam(1) has the rules and examples.\n";
}

}  // namespace rollcall::pam
