#include "res/policy/job_files.hpp"

#include "common/base/job_numbers.hpp"

namespace rollcall::res {

std::string expand_name(std::string_view name, const wire::JobKey& job) {
  return with_job_numbers(name, job.id(), job.index());
}

std::string job_text(const wire::JobKey& job) {
  return std::to_string(job.id()) + (job.index() == 0 ? "" : "[" + std::to_string(job.index()) + "]");
}

std::string under(std::string_view directory, std::string_view path) {
  if (path.empty()) return std::string(directory);
  if (path.front() == '/' || directory.empty()) return std::string(path);
  std::string result(directory);
  if (result.back() != '/') result += '/';
  return result.append(path);
}

std::string file_in_directory(std::string_view directory, const wire::JobKey& job, std::string_view suffix) {
  std::string name = std::to_string(job.id());
  if (job.index() != 0) name += "." + std::to_string(job.index());
  return under(directory, name.append(suffix));
}

std::string wanted_directory(const wire::Submission& asked, const wire::JobKey& job) {
  return under(asked.cwd(), expand_name(asked.asked_cwd(), job));
}

}  // namespace rollcall::res
