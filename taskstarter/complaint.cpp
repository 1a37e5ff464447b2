#include "taskstarter/complaint.hpp"

#include <unistd.h>

namespace rollcall::taskstarter {

void complain(const std::string& host, std::string_view line) {
  std::string text = "TaskStarter: " + host + ": ";
  text.append(line).append("\n");
  // There is nobody to tell where even this fails.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace rollcall::taskstarter
