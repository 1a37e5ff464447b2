// HostReader: reads this host: its load for LIM every five seconds, and its static facts once.
//
// A shell: it opens files under a root directory ("/", or a fixture tree) and hands their texts to elim/policy. It makes no
// decisions, keeps only the root directory open, and starts no thread. LIM owns one LoadSampler. A missing value is kUnknownLoad,
// or 0 in the facts; no failure here ends LIM.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/host_facts.hpp"
#include "common/conf/lsf_shared.hpp"
#include "common/conf/program_settings.hpp"
#include "common/io/topology.hpp"
#include "elim/policy/load/load_math.hpp"

namespace rollcall::load {

struct FileSystemSize {
  double free_mb = 0;  // for users other than root
  double total_mb = 0;
};

// The source of a host's values. The default is the machine itself.
struct HostSource {
  std::string root = "/";
  // The size of the file system of an open directory; none: unknown.
  std::function<std::optional<FileSystemSize>(int directory)> file_system_size;  // none: fstatvfs
  std::function<std::chrono::seconds()>
      wall_clock;  // since 1970, as terminals' access times are; none: the system's
};

// Sizes that may change under a running LIM: memory is plugged in, swap is turned on. MB; 0: not known.
struct HostSizes {
  std::uint64_t maxmem = 0, maxswp = 0, maxtmp = 0;
  friend bool operator==(const HostSizes&, const HostSizes&) = default;
};

class LoadSampler {
 public:
  explicit LoadSampler(HostSource source = {});
  LoadSampler(LoadSampler&&) noexcept;
  LoadSampler& operator=(LoadSampler&&) noexcept;
  ~LoadSampler();

  // Call it kFirstInterval after the first time, and then every 5 s. Each index is read when its interval (lsinfo -l) is over:
  // the run queue every time, ut pg io swp mem every 15 s, ls it every 30 s, tmp every 120 s; the others keep their values. The
  // first call reads all; the second one makes the rates ut pg io known.
  BuiltInLoad sample(TimePoint now);

  // Of the last sample.
  const HostSizes& sizes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

inline constexpr Duration kSampleInterval = std::chrono::seconds(5);
inline constexpr Duration kFirstInterval = std::chrono::milliseconds(500);

// EGO_DEFINE_NCPUS of lsf.conf, or a host's Boolean resource define_ncpus_procs, _cores or _threads.
using conf::CountedCpus;

struct DetectOptions {
  HostSource source;
  io::TopologySource topology;  // the machine, an hwloc XML file, or a synthetic description
  CountedCpus ncpus = CountedCpus::cores;
  std::string machine;                                   // as `uname -m` says; empty: asked from the system
  const std::vector<conf::HostModel>* models = nullptr;  // of lsf.shared: their ARCHITECTURE names the model
};

struct DetectedHost {
  // Detects type, model, ncpus, nprocs, ncores, nthreads, ndisks, maxmem, maxswp, maxtmp and topology; the rest comes from the
  // configuration. `model` is the HostModel whose ARCHITECTURE fits, else a name made of the processor's.
  HostFacts facts;
  std::string architecture;  // what ARCHITECTURE is compared with, e.g. x6_5187_IntelXeonE526700270GHz
  std::vector<std::string> warnings;  // one line each: what could not be detected
};

// Takes some milliseconds, and some megabytes that are freed before it returns. LIM calls it once.
DetectedHost detect_facts(const DetectOptions& options);

}  // namespace rollcall::load
