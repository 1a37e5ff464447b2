#include "sched/client/esub_run.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "common/base/exit_status.hpp"
#include "common/io/read_file.hpp"
#include "common/io/run_program.hpp"
#include "sched/policy/submit/esub_parameters.hpp"

namespace rollcall::client {
namespace {

constexpr int kAbort = 97;  // LSB_SUB_ABORT_VALUE

std::string reason() { return std::generic_category().message(errno); }

// A directory of this bsub's own for the files; it goes with them.
class EsubFiles {
 public:
  static Result<EsubFiles> make() {
    const char* const tmp = std::getenv("TMPDIR");
    std::string pattern = std::string(tmp && *tmp == '/' ? tmp : "/tmp") + "/bsub.XXXXXX";
    if (!mkdtemp(pattern.data())) return internal_error(pattern + ": cannot make it: " + reason());
    return EsubFiles(pattern);
  }
  EsubFiles(EsubFiles&& other) noexcept : directory_(std::exchange(other.directory_, {})) {}
  EsubFiles& operator=(EsubFiles&&) = delete;
  ~EsubFiles() {
    if (directory_.empty()) return;
    for (const auto& path : {parameters(), changes(), environment(), output()}) unlink(path.c_str());
    rmdir(directory_.c_str());
  }

  std::string parameters() const { return directory_ + "/parameters"; }
  std::string changes() const { return directory_ + "/changes"; }
  std::string environment() const { return directory_ + "/environment"; }
  std::string output() const { return directory_ + "/output"; }

  static Result<void> write(const std::string& path, const std::string& text) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return internal_error(path + ": cannot make it: " + reason());
    const ssize_t written = ::write(file, text.data(), text.size());
    close(file);
    if (written != static_cast<ssize_t>(text.size()))
      return internal_error(path + ": cannot write it: " + reason());
    return {};
  }

 private:
  explicit EsubFiles(std::string directory) : directory_(std::move(directory)) {}
  std::string directory_;
};

std::vector<std::string> esub_environment(const EsubFiles& files, const EsubPlaces& places,
                                          const sched::submit::SubmitContext& context) {
  std::vector<std::string> words = context.environment;
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::string>>{
           {"LSB_SUB_PARM_FILE", files.parameters()},
           {"LSB_SUB_MODIFY_FILE", files.changes()},
           {"LSB_SUB_MODIFY_ENVFILE", files.environment()},
           {"LSB_SUB_ABORT_VALUE", std::to_string(kAbort)},
           {"LSF_SERVERDIR", places.server_dir},
           {"LSF_BINDIR", places.bin_dir},
           {"LSF_ENVDIR", places.env_dir},
           {"LSF_INVOKE_CMD", "bsub"}}) {
    const std::string head = std::string(name) + "=";
    std::erase_if(words, [&](const std::string& word) { return word.starts_with(head); });
    words.push_back(head + value);
  }
  return words;
}

// How it ended: its exit status, 128+n for a signal.
Result<int> run_one(const std::string& path, const sched::submit::EsubCall& call, const EsubFiles& files,
                    const EsubPlaces& places, const sched::submit::SubmitContext& context) {
  io::SpawnPlan plan;
  plan.argv = {path};
  plan.argv.insert(plan.argv.end(), call.arguments.begin(), call.arguments.end());
  plan.environment = esub_environment(files, places, context);
  sigemptyset(&plan.mask);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int output = open(files.output().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  plan.descriptors = {{nothing, STDIN_FILENO},
                      {output, STDOUT_FILENO}};  // the job's script may be on standard input
  const auto ran = io::run_program(plan);
  close(nothing);
  close(output);
  if (const auto* const error = std::get_if<io::SpawnError>(&ran))
    return internal_error(path + ": cannot " + io::stage_text(error->stage) +
                          " it: " + std::generic_category().message(error->error));
  return ExitStatus::from_wait(std::get<int>(ran)).shell_code();
}

Result<void> call_esub(sched::submit::Draft& draft, const sched::submit::EsubCall& call,
                       const EsubFiles& files, const EsubPlaces& places,
                       const sched::submit::SubmitContext& context) {
  const std::string name = call.name.empty() ? "esub" : "esub." + call.name;
  const std::string path = places.server_dir + "/" + name;
  if (access(path.c_str(), X_OK) != 0) {
    if (call.name.empty()) return {};  // a site need not have one for all jobs
    return usage_error("-a " + call.name + ": found no program " + path + ", expected one");
  }
  if (auto written = EsubFiles::write(files.parameters(), sched::submit::esub_parameters(draft)); !written)
    return written;
  if (auto written = EsubFiles::write(files.changes(), ""); !written) return written;
  if (auto written = EsubFiles::write(files.environment(), ""); !written) return written;
  const auto ended = run_one(path, call, files, places, context);
  if (!ended) return ended.error();
  if (*ended == kAbort) return usage_error("Request aborted by " + name);
  const auto changes = io::read_file(files.changes());
  const auto environment = io::read_file(files.environment());
  if (!changes || !environment) return internal_error(name + ": its files are gone, expected them to stay");
  if (auto applied = sched::submit::apply_esub_changes(draft, *changes, context); !applied) return applied;
  return sched::submit::apply_esub_environment(draft, *environment);
}

Result<void> take_output(sched::submit::Draft& draft, const EsubFiles& files) {
  struct stat facts;
  if (stat(files.output().c_str(), &facts) == 0 && facts.st_size > static_cast<off_t>(kMostEsubOutput))
    return usage_error("esub: found " + std::to_string(facts.st_size) +
                       " bytes on standard output, expected at most " + std::to_string(kMostEsubOutput) +
                       " for eexec");
  const auto text = io::read_file(files.output());
  if (!text) return internal_error(files.output() + ": cannot read it");
  draft.job.set_esub_output(*text);
  return {};
}

}  // namespace

EsubsRun run_esubs(sched::submit::Draft& draft, const EsubPlaces& places,
                   const sched::submit::SubmitContext& context) {
  const auto calls = sched::submit::esub_calls(places.method, draft.esub_words);
  if (!calls) return {calls.error(), {}};
  if (calls->size() == 1 && access((places.server_dir + "/esub").c_str(), X_OK) != 0) return {{}, {}};
  const auto files = EsubFiles::make();
  if (!files) return {files.error(), {}};
  if (auto written = EsubFiles::write(files->output(), ""); !written) return {written, {}};
  draft.job.clear_esubs();
  for (const auto& call : *calls) {
    if (auto called = call_esub(draft, call, *files, places, context); !called) {
      const auto output = io::read_file(files->output());
      return {called, output ? *output : ""};
    }
    if (!call.name.empty()) draft.job.add_esubs(call.name);
  }
  return {take_output(draft, *files), {}};
}

}  // namespace rollcall::client
