// elim.hwloc: reports what hwloc knows of a host, and how busy its parts are. An ordinary elim (elim.hwloc(8)): it reads the
// topology once, then at each interval a few files of /proc and /sys, and prints one string.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "common/base/numbers.hpp"
#include "common/io/topology.hpp"
#include "elim/elims/hwloc_options.hpp"
#include "elim/elims/hwloc_reader.hpp"
#include "elim/policy/load/hwloc_indices.hpp"

namespace rollcall::load {
namespace {

constexpr const char* kUsage =
    "Usage: elim.hwloc [--hwloc-interval=SECONDS] [--hwloc-topology=FILE] [--hwloc-root=DIRECTORY]\n"
    "                  [--hwloc-strings=N]\n"
    "       elim.hwloc -h | -V\n"
    "LIM starts it where a resource of elim.hwloc(8) is mapped; other words are another elim's.\n";

std::string environment(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

int complain(const std::string& text) {
  const std::string line = "elim.hwloc: " + text + "\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
  return 1;
}

// Writes the whole string or ends this program: MELIM has no use for half a string.
bool put(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const auto size = write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    done += static_cast<std::size_t>(size);
  }
  return true;
}

// True after the interval; false at once when the reader is gone.
bool wait_interval(int seconds) {
  struct pollfd reader {
    STDOUT_FILENO, 0, 0
  };
  const int ready = poll(&reader, 1, seconds * 1000);
  return ready == 0 || (ready < 0 && errno == EINTR);
}

io::TopologySource source_of(const HwlocOptions& options) {
  io::TopologySource source;
  source.devices = true;
  if (!options.topology.empty()) {
    source.kind = io::TopologySource::Kind::xml_file;
    source.text = options.topology;
  }
  return source;
}

int report(const HwlocOptions& options, const std::string& resources) {
  const auto machine = io::read_topology(source_of(options));
  if (!machine) return complain(machine.error().text);
  const FilesBelow files(options.root);
  std::optional<HwlocReading> before;
  for (int told = 0;;) {
    auto now = read_hwloc(files, *machine);
    const auto values = hwloc_values(*machine, before ? &*before : nullptr, now);
    if (!put(load_update_string(values, resources)))
      return complain(std::string("stdout: ") + strerror(errno));
    if (++told == options.strings) return 0;
    before = std::move(now);
    if (!wait_interval(options.interval)) return complain("stdout: nobody reads it any more");
  }
}

int run(const std::vector<std::string>& words) {
  const auto options = read_hwloc_options(words);
  if (!options) {
    complain(options.error().text);
    return exit_code_of(options.error());
  }
  if (options->action == HwlocOptions::Action::help) return put(kUsage) ? 0 : 1;
  if (options->action == HwlocOptions::Action::version)
    return put("Rollcall elim.hwloc " ROLLCALL_VERSION "\n") ? 0 : 1;
  const auto resources = environment("LSF_RESOURCES");
  if (!asks_for_hwloc(resources)) return parse_whole(environment("ELIM_ABORT_VALUE"), 0, 255).value_or(99);
  return report(*options, resources);
}

}  // namespace
}  // namespace rollcall::load

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);  // a write then fails, and is reported on stderr
  return rollcall::load::run({argv + 1, argv + argc});
}
