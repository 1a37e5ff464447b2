#include "sched/client/submit_context.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "common/io/local_time.hpp"
#include "sched/policy/values/resreq_syntax.hpp"
#include "sched/policy/values/submit_values.hpp"

extern char** environ;

namespace rollcall::client {
namespace {

std::string working_directory() {
  // The name that the user sees, where it is right: a home may be mounted under several.
  const char* const pwd = std::getenv("PWD");
  struct stat named, here;
  if (pwd && *pwd == '/' && stat(pwd, &named) == 0 && stat(".", &here) == 0 && named.st_ino == here.st_ino &&
      named.st_dev == here.st_dev)
    return pwd;
  char* const found = getcwd(nullptr, 0);
  std::string directory(found ? found : "");
  std::free(found);
  return directory;
}

std::uint32_t current_umask() {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

}  // namespace

Result<sched::submit::SubmitContext> submit_context(const conf::ClusterFiles& files,
                                                    const std::string& from_host) {
  sched::submit::SubmitContext context;
  context.limit_unit_kb = files.settings.limit_unit.kb;
  context.syntax = sched::resreq_syntax(files.settings);
  context.gpu_default = files.programs.commands.gpu_default;
  context.now = io::wall_now().seconds();
  context.local = io::local_time();
  for (char** word = environ; *word; ++word) context.environment.emplace_back(*word);
  context.cwd = working_directory();
  if (const char* const home = std::getenv("HOME")) context.home = home;
  context.umask = current_umask();
  context.from_host = from_host;
  return context;
}

}  // namespace rollcall::client
