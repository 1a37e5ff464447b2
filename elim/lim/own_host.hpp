// OwnHost: what LIM finds on the host it runs on: its load every five seconds, and what does not change about it.
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

  // Looks at the host; takes some milliseconds. At the start, and when new files are in force.
  void configure(const Configuration& configuration);
  // What the files say, completed by what was found.
  const HostFacts& facts() const { return facts_; }

  // New facts where a size has changed since the last sample: memory that was plugged in, swap that was turned on.
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
  std::string res_mark_;  // what RES of this host holds while it runs
  std::optional<std::int64_t> res_beat_;
  TimePoint res_beat_seen_;  // when that was new
};

}  // namespace rollcall::lim
