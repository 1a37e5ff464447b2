#include "sched/policy/show/show_gpus.hpp"

#include "common/base/table_cells.hpp"

namespace rollcall::sched::show {
namespace {

std::string allocation_row(std::string_view host, std::string_view device) {
  return " " + left(host, 17) + left("-", 5) + left(device, 4) + left("-", 13) + left("-", 8) + left("-", 7) +
         left("-", 8) + left("-", 7) + "-\n";
}

}  // namespace

std::string gpu_allocation(const JobDevices& gpus) {
  if (gpus.empty()) return "";
  std::string text =
      "\n GPU_ALLOCATION:\n"
      " HOST             TASK ID  MODEL        MTOTAL  FACTOR MRSV    SOCKET NVLINK\n";
  for (const auto& on : gpus) {
    std::string host = on.host();
    for (const std::uint32_t device : on.devices()) {
      text += allocation_row(host, std::to_string(device));
      host.clear();
    }
  }
  return text;
}

std::string gpu_blocks(const JobView& job, const wire::Submission& asked, Wrapping wrapping) {
  std::string text;
  if (!asked.gpu().empty()) {
    // Hosts do not change the request, so the effective one is the same.
    text += "\n GPU REQUIREMENT DETAILS:\n" + paragraph(" Combined: " + asked.gpu(), wrapping) +
            paragraph(" Effective: " + asked.gpu(), wrapping);
  }
  return text + gpu_allocation(devices_of(job.record()));
}

}  // namespace rollcall::sched::show
