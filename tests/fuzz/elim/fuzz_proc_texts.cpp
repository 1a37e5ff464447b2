// Any bytes as the kernel's texts: nothing is read beyond them, and what comes out is sound: no NaN, no more available
// than there is, indices within their ranges.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "elim/policy/load/host_model.hpp"
#include "elim/policy/load/hwloc_indices.hpp"
#include "elim/policy/load/proc_texts.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::load;
using rollcall::fuzz::require;

namespace {

void check_texts(std::string_view text) {
  if (const auto load = kernel_load(text)) require(std::isfinite(load->one) && load->fifteen >= 0);
  if (const auto memory = memory_text(text)) require(memory->available <= memory->total);
  for (const auto& [cpu, ticks] : ticks_of_each_cpu(text)) require(cpu >= 0);
  swapped_pages(text);
  require(disk_sectors(text, {"sda", "nvme0n1"}).size() <= text.size());
  may_be_disk(text);
  if (const auto seconds = uptime_seconds(text)) require(*seconds >= 0);
  if (const auto cpus = cgroup_cpus(text)) require(*cpus >= 0 && std::isfinite(*cpus));
  if (const auto bytes = cgroup_bytes(text)) require(*bytes <= std::uint64_t{1} << 60);
  cgroup_inactive_file(text);
  require(infiniband_megabits(text) <= 1'000'000'000);
}

void check_logins(std::string_view text) {
  for (const std::size_t record : {0U, 76U, 384U, 400U}) {
    const auto logins = utmp_logins(text, record);
    for (const auto& login : logins)
      require(!login.user.empty() && login.user.size() <= 32 && login.line.size() <= 32);
  }
  if (const auto login = session_login(text)) require(!login->user.empty() && login->pid >= 0);
}

void check_names(std::string_view text) {
  const auto cpu = cpu_identity(text);
  require(cpu.bogomips >= 0 && std::isfinite(cpu.mhz));
  const auto model = model_of_processor(cpu, "x86_64");
  require(!model.empty() && model.find_first_of(" \t\n():,") == std::string::npos);
  conf::HostModel line;
  line.name = "fits";
  line.architectures = {host_architecture(cpu, "x86_64")};
  require(matching_model(line.architectures[0], "X86_64", {line}) == "fits");
  line.architectures = {std::string(text)};
  matching_model(host_architecture(cpu, "x86_64"), "X86_64", {line});
}

// The same text before and after half of it.
void check_indices(std::string_view text) {
  LoadState state;
  TimePoint now;
  for (const auto part : {text.substr(0, text.size() / 2), text, text.substr(text.size() / 2)}) {
    Reading reading;
    if (const auto kernel = kernel_load(part)) reading.running = static_cast<double>(kernel->running);
    reading.cpu = cpu_ticks(part);
    reading.pages = swapped_pages(part);
    reading.disks = disk_sectors(part, {"sda"});
    const auto load = update(state, reading, now);
    for (const float value : load.values) require(std::isfinite(value) && value >= 0);
    if (known_load(load[ut])) require(load[ut] <= 1.001F);
    now = now + std::chrono::seconds(15);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  check_texts(text);
  check_logins(text);
  check_names(text);
  check_indices(text);
  require(load_update_string({{"hw_nodes", "1"}}, text).ends_with('\n'));
  return 0;
}
