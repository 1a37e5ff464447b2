// OwnHost: what LIM detects on its own host: its load every five seconds, and its static facts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/io/log.hpp"
#include "elim/lim/configuration.hpp"
#include "elim/policy/lim/lim_events_and_effects.hpp"
#include "elim/reader/host_reader.hpp"

namespace rollcall::lim {

class OwnHost {
 public:
  explicit OwnHost(const io::Log& log) : log_(log) {}

  // Detects the facts; takes some milliseconds. At the start, and with new files.
  void configure(const Configuration& configuration);
  // The facts of the files, completed by what was detected.
  const HostFacts& facts() const { return facts_; }

  // New facts if a size has changed since the last sample: memory was plugged in, swap was turned on.
  struct Sample {
    event::LoadSampled load;
    std::optional<HostFacts> changed;
  };
  Sample sample(TimePoint now);

 private:
  const io::Log& log_;
  load::LoadSampler sampler_;
  load::HostSizes sizes_;
  HostFacts facts_;
  bool res_down(TimePoint now);
  std::string res_mark_;  // the file that this host's RES locks while it runs
  std::optional<std::int64_t> res_beat_;
  TimePoint res_beat_seen_;  // when the beat last changed
};

}  // namespace rollcall::lim
