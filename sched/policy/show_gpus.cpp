#include "sched/policy/show_gpus.hpp"

#include <algorithm>

#include "common/base/table_cells.hpp"

namespace rollcall::sched {
namespace {

// The first part of `text`, up to `at`; `text` loses it.
std::string_view take_part(std::string_view& text, char at) {
  const auto end = std::min(text.find(at), text.size());
  const auto part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::string allocation_row(std::string_view host, std::string_view device) {
  return " " + left(host, 17) + left("-", 5) + left(device, 4) + left("-", 13) + left("-", 8) + left("-", 7) +
         left("-", 8) + left("-", 7) + "-\n";
}

}  // namespace

std::string gpu_allocation(std::string_view gpus) {
  if (gpus.empty()) return "";
  std::string text =
      "\n GPU_ALLOCATION:\n"
      " HOST             TASK ID  MODEL        MTOTAL  FACTOR MRSV    SOCKET NVLINK\n";
  while (!gpus.empty()) {
    std::string_view devices = take_part(gpus, ';');
    std::string_view host = take_part(devices, ' ');
    while (!devices.empty()) {
      text += allocation_row(host, take_part(devices, ','));
      host = "";
    }
  }
  return text;
}

std::string gpu_blocks(const JobView& job, const wire::Submission& asked, Wrapping wrapping) {
  std::string text;
  if (!asked.gpu().empty()) {
    // Nothing of a host changes what was asked for, so what is effective is that.
    text += "\n GPU REQUIREMENT DETAILS:\n" + paragraph(" Combined: " + asked.gpu(), wrapping) +
            paragraph(" Effective: " + asked.gpu(), wrapping);
  }
  return text + gpu_allocation(job.record().gpus());
}

}  // namespace rollcall::sched
