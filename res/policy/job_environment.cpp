#include "res/policy/job_environment.hpp"

#include <unordered_map>

#include "common/base/exit_status.hpp"
#include "res/policy/process_plan.hpp"
#include "res/policy/span_file.hpp"

namespace rollcall::res {
namespace {

constexpr std::string_view kRelay = "ROLLCALL_RELAY";  // dropped: a caller's names another shepherd
constexpr std::string_view kHookPath = "/bin:/usr/bin:/sbin:/usr/sbin";

// Keeps an index, since an environment may have thousands of variables.
class Builder {
 public:
  void add_words(const google::protobuf::RepeatedPtrField<std::string>& words) {
    for (const auto& word : words)
      if (const auto at = word.find('='); at != word.npos && at > 0 && word.compare(0, at, kRelay) != 0)
        put(word.substr(0, at), word);
  }
  void set(const std::string& name, std::string_view value) {
    put(name, std::string(name).append("=").append(value));
  }
  void set_if(const std::string& name, std::string_view value) {
    if (!value.empty()) set(name, value);
  }
  std::vector<std::string> take() { return std::move(words_); }

 private:
  void put(std::string name, std::string word) {
    const auto [at, fresh] = places_.try_emplace(std::move(name), words_.size());
    if (fresh)
      words_.push_back(std::move(word));
    else
      words_[at->second] = std::move(word);
  }
  std::vector<std::string> words_;
  std::unordered_map<std::string, std::size_t> places_;
};

void add_installation(Builder& to, const wire::JobOrder& order) {
  to.set_if("LSF_BINDIR", order.bin_dir());
  to.set_if("LSF_SERVERDIR", order.server_dir());
  to.set_if("LSF_LIBDIR", order.lib_dir());
  to.set_if("LSF_ENVDIR", order.env_dir());
}

void add_host_facts(Builder& to, const wire::JobOrder& order) {
  to.set_if("HOME", order.home());
  to.set_if("USER", order.user());
  to.set_if("LOGNAME", order.user());
  to.set_if("LSFUSER", order.user());
  to.set_if("SHELL", order.shell());
  add_installation(to, order);
  to.set_if("HOSTTYPE", order.host_type());
  to.set_if("LSF_VERSION", order.version());
  to.set_if("LSF_FULL_VERSION", order.full_version());
  to.set_if("LSB_UNIXGROUP_INT", order.group());
}

void add_places(Builder& to, const JobPlaces& places) {
  to.set_if("LSB_JOBFILENAME", places.job_file);
  to.set_if("LSB_CHKFILENAME", places.job_file);
  to.set_if("LSB_DJOB_HOSTFILE", places.host_file);
  to.set_if("LSB_DJOB_RANKFILE", places.rank_file);
  to.set_if("LSB_AFFINITY_HOSTFILE", places.affinity_file);
  to.set_if("LSB_OUTPUTFILE", places.output_file);
  to.set_if("LSB_OUTDIR", places.output_dir);
  to.set_if("LSB_ACCT_FILE", places.accounting);
  to.set_if("TMPDIR", places.tmp_dir);
  to.set_if(std::string(kRelay), places.relay);
  to.set_if("PWD", places.directory);
}

}  // namespace

std::vector<std::string> job_environment(const wire::JobOrder& order, const JobPlaces& places) {
  const auto& start = order.start();
  Builder result;
  result.add_words(start.submission().environment());
  result.add_words(start.environment());
  add_host_facts(result, order);
  add_places(result, places);
  result.set("LSB_JOBEXIT_STAT", "0");
  result.set("LSB_EXIT_PRE_ABORT", "99");
  result.set("LSB_TRAPSIGS", kTrapSignals);
  result.set("LS_EXEC_T", "START");
  result.set_if("CUDA_VISIBLE_DEVICES", start.gpus());
  return result.take();
}

namespace {

// True if `theirs` is empty or the job's directory on another host: this host's replaces it. The caller's own choice stays.
bool is_the_jobs(std::string_view theirs, std::string_view ours) {
  return theirs.empty() || theirs.substr(theirs.rfind('/') + 1) == ours.substr(ours.rfind('/') + 1);
}
std::string_view value_of(const google::protobuf::RepeatedPtrField<std::string>& words,
                          std::string_view head) {
  for (auto word = words.rbegin(); word != words.rend(); ++word)
    if (word->starts_with(head)) return std::string_view(*word).substr(head.size());
  return {};
}

}  // namespace

std::vector<std::string> task_environment(const wire::JobOrder& order, const wire::RunTask& task,
                                          const JobPlaces& places) {
  Builder result;
  // The order matters: in a job the caller's HOME wins, since it may be made for the job. lsrun's tasks get this host's.
  if (!order.task_only()) result.set_if("HOME", order.home());
  result.add_words(task.environment());
  if (order.task_only()) result.set_if("HOME", order.home());
  result.set_if("USER", order.user());
  result.set_if("LOGNAME", order.user());
  result.set_if("LSB_DJOB_HOSTFILE", places.host_file);
  result.set_if("LSB_DJOB_RANKFILE", places.rank_file);
  result.set_if("LSB_AFFINITY_HOSTFILE", places.affinity_file);
  result.set_if("PWD", places.directory);
  if (is_the_jobs(value_of(task.environment(), "TMPDIR="), places.tmp_dir))
    result.set_if("TMPDIR", places.tmp_dir);
  result.set_if(std::string(kRelay), places.relay);
  if (span_of(order)) add_installation(result, order);  // the caller's may be another cluster's
  result.set_if("CUDA_VISIBLE_DEVICES", order.has_start() ? order.start().gpus() : order.expect().gpus());
  if (task.task() != 0) {
    result.set("LSF_PM_TASKID", std::to_string(task.task()));
    result.set("LSB_TASKID", std::to_string(task.task()));
    result.set("LSB_TASKINDEX", std::to_string(task.task()));
  }
  return result.take();
}

void set_variable(std::vector<std::string>& environment, std::string_view name, std::string_view value) {
  std::string word = std::string(name).append("=");
  for (auto& present : environment)
    if (present.starts_with(word)) {
      present = word.append(value);
      return;
    }
  environment.push_back(word.append(value));
}

std::vector<std::string> hook_environment(std::vector<std::string> of_job) {
  set_variable(of_job, "PATH", kHookPath);
  return of_job;
}

std::vector<std::string> control_environment(std::vector<std::string> of_job) {
  constexpr std::string_view kDirectory = "LSF_BINDIR=";
  std::string path(kHookPath);
  for (const auto& word : of_job)
    if (word.starts_with(kDirectory)) path += ":" + word.substr(kDirectory.size());
  set_variable(of_job, "PATH", path);
  return of_job;
}

void add_exit_status(std::vector<std::string>& environment, int exit_status) {
  set_variable(environment, "LSB_JOBEXIT_STAT", std::to_string(exit_status));
  const int code = exit_status >> 8 & 0xff;
  const std::string name = code > 128 ? signal_name(code - 128) : "?";
  if (name != "?")
    set_variable(environment, "LSB_JOBEXIT_INFO", "SIGNAL " + std::to_string(code - 128) + " " + name);
}

std::string host_lines(const google::protobuf::RepeatedPtrField<wire::ExecHost>& hosts) {
  std::string text;
  for (const auto& host : hosts)
    for (unsigned slot = 0; slot < std::max(host.slots(), 1U); ++slot) text += host.name() + "\n";
  return text;
}

std::string slot_lines(const google::protobuf::RepeatedPtrField<wire::ExecHost>& hosts) {
  std::string text;
  for (const auto& host : hosts)
    text += host.name() + " slots=" + std::to_string(std::max(host.slots(), 1U)) + "\n";
  return text;
}

}  // namespace rollcall::res
