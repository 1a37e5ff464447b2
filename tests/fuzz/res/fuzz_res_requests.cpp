// What RES takes from clients, whole or in parts: it keeps no more than a request, and of a task that it takes a process
// can be planned.
//
//   input = records (records.hpp)     kind % 4: 0: a ToResFromClient of a client that has proved who it is; 1: of one
//                                     that has not; 2: the bytes as a `part`; 3: as a `last_part`
#include <string>

#include "common/wire/frame.hpp"
#include "res/policy/client_requests.hpp"
#include "res/policy/job_environment.hpp"
#include "res/shepherd/job_limits.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/records.hpp"

using namespace rollcall;
using namespace rollcall::res;
using rollcall::fuzz::require;

namespace {

// Each name once, and no word without one.
void check_environment(const std::vector<std::string>& words) {
  for (const std::string& word : words) require(word.find('=') != std::string::npos && word[0] != '=');
}

void take(const wire::RunTask& task) {
  if (const auto why_not = objection_to(task)) return require(!why_not->empty());
  wire::ToShepherd message;
  message.mutable_task()->set_number(1);
  message.mutable_task()->set_key(std::string(32, 'k'));
  *message.mutable_task()->mutable_task() = task;
  require(message.ByteSizeLong() <= wire::kFrameLimit);
  wire::JobOrder order;
  order.set_task_only(!task.has_job());
  order.set_user("ann");
  order.set_home("/home/ann");
  check_environment(task_environment(order, task, {}));
  wire::Enforcement all;
  all.set_cpu_of_process(true);
  all.set_memory_of_process(true);
  (void)process_limits(task.limits(), all);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ClientRequests requests;
  bool up = true;
  fuzz::each_record(data, size, [&](unsigned kind, std::string_view bytes) {
    if (!up) return;  // the connection is closed after an error
    wire::ToResFromClient part;
    if (kind % 4 == 2) part.set_part(std::string(bytes));
    if (kind % 4 == 3) part.set_last_part(std::string(bytes));
    const std::string made = part.SerializeAsString();
    const bool known = kind % 4 != 1;
    const auto taken = requests.take(kind % 4 < 2 ? bytes : std::string_view(made), known);
    up = static_cast<bool>(taken);
    if (!up) return require(!taken.error().text.empty());
    if (!*taken) return require(known);
    require(!(*taken)->has_part() && !(*taken)->has_last_part());
    if ((*taken)->has_task()) take((*taken)->task());
  });
  return 0;
}
