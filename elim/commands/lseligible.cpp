// lseligible: whether a task may run on another host, by the lists of lsf.task and ~/.lsftask, and what it then needs.
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/conf/lsb/lsf_task.hpp"
#include "common/io/config_source.hpp"
#include "elim/commands/commands.hpp"

namespace rollcall::elim {
namespace {

using Value = CommandOption::Value;

std::string home() {
  if (const char* named = std::getenv("HOME")) return named;
  const passwd* user = getpwuid(geteuid());
  return user ? user->pw_dir : "";
}

// A missing list is empty.
void add_list(const std::string& path, conf::LsfTask& tasks, conf::Problems& problems) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return;
  const auto text = io::read_config_file(path);
  if (!text) return problems.error({path, 0}, text.error().text);
  conf::read_lsf_task(conf::parse_sections(*text, path, conf::lsf_task_syntax(), problems), tasks, problems);
}

struct Verdict {
  bool eligible = false;
  std::string resreq;
};

// A task in the local list is not eligible, one in the remote list is, any other one only with `otherwise` (-r).
Verdict judge(const conf::LsfTask& tasks, const std::string& task, bool otherwise) {
  if (tasks.local.count(task) != 0) return {};
  const auto found = tasks.remote.find(task);
  if (found != tasks.remote.end()) return {true, found->second};
  return {otherwise, ""};
}

int run_lseligible(io::Stage& stage, const CommandWords& words) {
  if (words.operands().size() != 1)
    return stage.fail("found " + std::to_string(words.operands().size()) + " words, expected one task");
  conf::LsfTask tasks;
  conf::Problems problems;
  add_list(stage.files().settings.conf_dir + "/lsf.task", tasks, problems);
  add_list(home() + "/.lsftask", tasks, problems);
  for (const auto& problem : problems.all()) stage.fail(problem.line());
  if (problems.has_errors()) return io::kFailed;

  const Verdict verdict = judge(tasks, words.operands().front(), words.has("-r"));
  const int status = verdict.eligible ? 0 : 1;
  if (words.has("-s")) return status;
  if (words.has("-json")) {
    const nlohmann::ordered_json record{{"ELIGIBLE", verdict.eligible}, {"RES_REQ", verdict.resreq}};
    const int failed =
        stage.print(record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    return failed ? failed : status;
  }
  const std::string needs = verdict.resreq.empty() ? "-" : verdict.resreq;
  const std::string line = words.has("-q") ? (verdict.eligible ? needs : "")
                                           : (verdict.eligible ? "ELIGIBLE " + needs : "NON-ELIGIBLE");
  const int failed = line.empty() ? 0 : stage.print(line + "\n");
  return failed ? failed : status;
}

}  // namespace

io::Command lseligible_command() {
  return {{"lseligible",
           "task",
           {{"-r", Value::none, "a task that is in no list is eligible"},
            {"-q", Value::none, "print its resource requirement alone"},
            {"-s", Value::none, "print nothing: the exit status says it"}},
           CommandShape::Order::anywhere,
           "Shows whether a task may run on another host, and what it needs there."},
          run_lseligible};
}

}  // namespace rollcall::elim
