// Any bytes as LSB_PJL_TASK_GEOMETRY: ids 0 to n-1, each once, that print and read back, or one line.
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/task_geometry.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using rollcall::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto geometry = TaskGeometry::parse({reinterpret_cast<const char*>(data), size});
  if (!geometry) {
    require(!geometry.error().text.empty() && geometry.error().text.find('\n') == std::string::npos);
    return 0;
  }
  std::vector<bool> seen(static_cast<std::size_t>(geometry->tasks()));
  for (const auto& group : geometry->groups())
    for (const int id : group) {
      require(id >= 0 && id < geometry->tasks() && !seen[static_cast<std::size_t>(id)]);
      seen[static_cast<std::size_t>(id)] = true;
    }
  require(TaskGeometry::parse(geometry->text()).value() == *geometry);
  return 0;
}
