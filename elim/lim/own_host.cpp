#include "elim/lim/own_host.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/conf/batch_settings.hpp"
#include "common/io/running_mark.hpp"

namespace rollcall::lim {
namespace {

constexpr std::chrono::seconds kResSilence{20};  // it beats every five seconds

bool has(const std::vector<std::string>& words, const char* word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The host's own value takes precedence over the site's.
load::CountedCpus counted_cpus(const Configuration& configuration, const HostFacts& facts) {
  if (has(facts.booleans, "define_ncpus_procs")) return load::CountedCpus::procs;
  if (has(facts.booleans, "define_ncpus_cores")) return load::CountedCpus::cores;
  if (has(facts.booleans, "define_ncpus_threads")) return load::CountedCpus::threads;
  return configuration.files.programs.lim.counted_cpus;
}

HostFacts complete(const Configuration& configuration, HostFacts facts, const HostFacts& found) {
  if (facts.type.empty()) facts.type = found.type;
  if (facts.model.empty()) {
    facts.model = found.model;
    facts.cpu_factor = configuration.files.cpu_factor(found.model);
  }
  facts.ncpus = found.ncpus;
  facts.nprocs = found.nprocs;
  facts.ncores = found.ncores;
  facts.nthreads = found.nthreads;
  const auto* row = configuration.files.cluster.host(configuration.host);
  if (row != nullptr && row->disks < 0) facts.ndisks = found.ndisks;
  facts.maxmem = found.maxmem;
  facts.maxswp = found.maxswp;
  facts.maxtmp = found.maxtmp;
  facts.topology = found.topology;
  return facts;
}

WeekMinute wall_now() {
  const time_t now = time(nullptr);
  tm parts{};
  if (localtime_r(&now, &parts) == nullptr) return {};
  return {parts.tm_wday, parts.tm_hour * 60 + parts.tm_min};
}

}  // namespace

void OwnHost::configure(const Configuration& configuration) {
  HostFacts facts = configuration.files.facts(configuration.host);
  load::DetectOptions options;
  options.ncpus = counted_cpus(configuration, facts);
  options.models = &configuration.files.shared.models;
  auto detected = load::detect_facts(options);
  for (const auto& warning : detected.warnings) log_.warning(warning);
  facts_ = complete(configuration, std::move(facts), detected.facts);
  sizes_ = {facts_.maxmem, facts_.maxswp, facts_.maxtmp};
  const auto batch = conf::read_batch_settings(configuration.files);
  res_mark_ = batch ? conf::res_mark(*batch, configuration.host) : std::string();
}

// A host where RES has never run is not down. A RES that holds its mark but does not beat is frozen.
bool OwnHost::res_down(TimePoint now) {
  if (!io::running_mark_held(res_mark_).value_or(true)) return true;
  const auto beat = io::running_mark_beat(res_mark_);
  if (beat != std::exchange(res_beat_, beat) || !beat) res_beat_seen_ = now;
  return now - res_beat_seen_ > kResSilence;
}

OwnHost::Sample OwnHost::sample(TimePoint now) {
  Sample sample;
  sample.load.values = sampler_.sample(now).values;
  sample.load.wall = wall_now();
  sample.load.res_down = res_down(now);
  const load::HostSizes sizes = sampler_.sizes();
  if (sizes != sizes_) {
    sizes_ = sizes;
    if (sizes.maxmem > 0) facts_.maxmem = sizes.maxmem;
    facts_.maxswp = sizes.maxswp;
    if (sizes.maxtmp > 0) facts_.maxtmp = sizes.maxtmp;
    sample.changed = facts_;
  }
  return sample;
}

}  // namespace rollcall::lim
