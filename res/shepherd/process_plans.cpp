#include "res/shepherd/process_plans.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/io/run_program.hpp"
#include "res/policy/job_commands.hpp"
#include "res/policy/mpi_environment.hpp"
#include "res/policy/process_plan.hpp"
#include "res/shepherd/job_limits.hpp"

namespace rollcall::res {
namespace {

// A job of one slot gets no MPI variables from us: an mpirun in it runs as many tasks as it is asked for.
void add_mpi_to(std::vector<std::string>& words, const wire::JobOrder& order, const JobPlaces& places) {
  unsigned slots = 0;
  for (const auto& host : order.start().hosts()) slots += std::max(host.slots(), 1U);
  const std::string blaunch = order.bin_dir() + "/blaunch";
  const bool wanted = order.mpi_variables() && slots > 1 && access(blaunch.c_str(), X_OK) == 0;
  add_mpi_variables(words, {wanted ? blaunch : "", places.host_file});
}

std::vector<std::string> environment_of(const wire::JobOrder& order, const JobPlaces& places) {
  auto words = job_environment(order, places);
  add_mpi_to(words, order, places);
  set_variable(words, "LS_JOBPID", std::to_string(getpid()));
  set_variable(words, "LSB_JOBRES_PID", std::to_string(getpid()));
  return words;
}

std::string task_directory(const wire::JobOrder& order, const std::string& asked) {
  for (const std::string& place : {asked, order.home()})
    if (!place.empty() && access(place.c_str(), X_OK) == 0) return place;
  return "/tmp";
}

}  // namespace

OpenFiles::OpenFiles() {
  getrlimit(RLIMIT_NOFILE, &before_);
  const rlimit raised{before_.rlim_max, before_.rlim_max};
  setrlimit(RLIMIT_NOFILE, &raised);
}

io::SpawnPlan OpenFiles::as_before(io::SpawnPlan plan) const {
  plan.open_files = before_;
  return plan;
}

io::SpawnPlan usual_plan(const wire::JobOrder& order) {
  io::SpawnPlan plan;
  sigemptyset(&plan.mask);
  plan.own_session = true;
  plan.nice = order.start().nice();
  return plan;
}

io::SpawnPlan hook_plan(const wire::JobOrder& order, const JobPlaces& places) {
  auto plan = usual_plan(order);
  plan.environment = environment_of(order, places);
  plan.limits = process_limits(order.start().limits(), order.enforcement());
  return plan;
}

std::vector<std::string> preparation(const wire::JobOrder& order, const JobPlaces& places) {
  auto commands = commands_before(order.start());
  commands.insert(commands.begin(), command_for_input(order, places));
  const std::string data = places.job_file + ".eexec";
  if (!order.eexec().empty()) write_private_file(data, order.start().submission().esub_output(), 0600);
  commands.push_back(eexec_command(order, data));
  return commands;
}

Result<void> make_places(const wire::JobOrder& order, JobPlaces& places) {
  make_tmp_dir(order, places);
  return write_host_files(order, places);
}

Result<io::SpawnPlan> job_plan(const wire::JobOrder& order, JobFiles& files) {
  if (const auto made = make_places(order, files.places); !made) return made.error();
  if (const auto opened = open_job_files(order, files); !opened) return opened.error();
  const auto process = job_process(order.start(), files.places.job_file);
  if (process.script && !write_private_file(files.places.job_file, *process.script, 0700))
    return internal_error("cannot write " + files.places.job_file + ": " + std::strerror(errno));
  auto plan = hook_plan(order, files.places);
  plan.argv = process.argv;
  plan.directory = files.places.directory;
  return plan;
}

io::SpawnPlan task_plan(const wire::JobOrder& order, const JobPlaces& of_job, const wire::RunTask& task) {
  auto plan = usual_plan(order);
  if (task.shell() && task.words_size() > 0)
    plan.argv = {"/bin/sh", "-c", task.words(0)};
  else
    plan.argv.assign(task.words().begin(), task.words().end());
  auto places = of_job;
  places.directory = task_directory(order, task.cwd());
  plan.environment = task_environment(order, task, places);
  move_mpi_host_file(plan.environment, places.host_file);
  set_variable(plan.environment, "LS_JOBPID", std::to_string(getpid()));
  plan.directory = places.directory;
  plan.umask = static_cast<mode_t>(task.umask() & 0777);
  const auto& limits = order.has_start() ? order.start().limits() : order.expect().limits();
  plan.limits = process_limits(order.task_only() ? task.limits() : limits, order.enforcement());
  return plan;
}

void remove_tmp_dir(const wire::JobOrder& order, const JobPlaces& places) {
  if (places.tmp_dir.empty()) return;
  auto plan = usual_plan(order);
  plan.argv = {"/bin/rm", "-rf", "--", places.tmp_dir};
  plan.environment = {"PATH=/bin:/usr/bin"};
  (void)io::run_program(plan);  // ignored: files that rm cannot remove stay
}

}  // namespace rollcall::res
