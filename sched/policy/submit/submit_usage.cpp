#include <algorithm>

#include "sched/policy/submit/submit_options.hpp"

namespace rollcall::sched::submit {

std::string submit_usage() {
  std::string text =
      "usage: bsub [options] command [argument ...]\n"
      "       bsub [options] < script        (its #BSUB lines are options)\n"
      "       bsub [options] script\n";
  for (const auto& option : submit_options()) {
    if (!option.not_there.empty() || option.name == "-Z") continue;
    const std::size_t blank =
        option.value == SubmitOption::Value::required
            ? option.meaning.find(' ', option.meaning.starts_with('"')
                                           ? std::min(option.meaning.find('"', 1), option.meaning.size())
                                           : 0)
            : 0;
    std::string head = "  " + std::string(option.name);
    if (option.value == SubmitOption::Value::required)
      head += " " + std::string(option.meaning.substr(0, blank));
    const std::string_view rest =
        option.value == SubmitOption::Value::required
            ? (blank == option.meaning.npos ? std::string_view{} : option.meaning.substr(blank + 1))
            : option.meaning;
    head.resize(std::max<std::size_t>(head.size() + 1, 24), ' ');
    text += head + std::string(rest) + "\n";
  }
  return text + "  -V                      prints the version\n  -h                      prints this\n";
}

}  // namespace rollcall::sched::submit
