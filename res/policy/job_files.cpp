#include "res/policy/job_files.hpp"

#include <algorithm>

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

std::vector<std::string> directories_to_make(const wire::Submission& asked, const wire::JobKey& job) {
  const std::string& path = asked.asked_cwd();
  const std::size_t numbered = asked.numbered_cwd();
  std::vector<std::string> made;
  for (std::size_t end = 0; end < path.size();) {
    end = std::min(path.find('/', end + 1), path.size());
    const std::string_view so_far = std::string_view(path).substr(0, end);
    const std::string expanded = expand_name(so_far, job);
    const bool makes = expanded != so_far || (numbered != 0 && end >= numbered);
    if (makes && !names_directory(so_far)) made.push_back(under(asked.cwd(), expanded));
  }
  return made;
}

}  // namespace rollcall::res
