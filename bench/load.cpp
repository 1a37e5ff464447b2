// bench_load [SAMPLES [ROOT]]: LIM's reader on this machine or on a fixture tree: CPU time of one sample at LIM's own pace
// (every 5 s, so a third of them read the rates), and private memory before and after the detection by hwloc.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "elim/reader/host_reader.hpp"

using namespace rollcall;

namespace {

double cpu_seconds() {
  struct rusage used {};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// KiB of a line of /proc/self/smaps_rollup.
long kilobytes(const std::string& name) {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name)) return std::atol(line.c_str() + name.size());
  return 0;
}
long private_kilobytes() { return kilobytes("Private_Dirty:") + kilobytes("Private_Clean:"); }

}  // namespace

int main(int argc, char** argv) {
  const int samples = argc > 1 ? std::atoi(argv[1]) : 10000;
  load::HostSource source;
  if (argc > 2) source.root = argv[2];
  load::LoadSampler sampler(source);
  TimePoint now;
  sampler.sample(now);
  const double start = cpu_seconds();
  for (int i = 0; i < samples; ++i) {
    now = now + load::kSampleInterval;
    sampler.sample(now);
  }
  const double each = samples > 0 ? (cpu_seconds() - start) / samples : 0;
  std::printf("samples            %d\n", samples);
  std::printf("CPU for one        %.1f us\n", each * 1e6);
  std::printf("part of one CPU    %.5f %%, one sample every 5 s\n", each / 5 * 100);

  const long before = private_kilobytes();
  const double detect = cpu_seconds();
  const auto host = load::detect_facts({});
  std::printf("detection          %.1f ms of CPU, %d CPUs\n", (cpu_seconds() - detect) * 1e3,
              host.facts.ncpus);
  std::printf("private memory     %ld KiB before, %ld KiB after\n", before, private_kilobytes());
  return host.facts.ncpus > 0 ? 0 : 1;
}
