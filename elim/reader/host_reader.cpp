#include "elim/reader/host_reader.hpp"

#include <cmath>

#include "elim/policy/load/terminal_use.hpp"
#include "elim/reader/disks.hpp"
#include "elim/reader/files_below.hpp"
#include "elim/reader/host_sizes.hpp"
#include "elim/reader/logins.hpp"
#include "elim/reader/memory_limits.hpp"

namespace rollcall::load {
namespace {

using std::chrono::seconds;

// True when a reading is due. A call that is a little early counts, so that a reading is not put off by a whole interval.
class Due {
 public:
  // `second`: the time from the first reading to the second.
  Due(Duration every, Duration second) : next_(second), every_(every) {}
  explicit Due(Duration every) : Due(every, every) {}
  bool operator()(TimePoint now) {
    if (last_ && now - *last_ < next_ - kSampleInterval / 2) return false;
    if (last_) next_ = every_;
    last_ = now;
    return true;
  }

 private:
  Duration next_, every_;
  std::optional<TimePoint> last_;
};

}  // namespace

struct LoadSampler::State {
  explicit State(HostSource from) : source(with_defaults(std::move(from))), files(source.root) {}

  void read_queue(Reading& reading);
  void read_rates(Reading& reading);
  void read_logins(Reading& reading);
  void read_tmp(Reading& reading);

  HostSource source;
  FilesBelow files;
  LoadState load;
  HostSizes sizes;
  std::vector<std::string> disks;
  TerminalUse terminals;
  Due rates_due{seconds(15), Duration{0}};  // a rate needs two readings: the second call has the first rate
  Due logins_due{seconds(30)}, tmp_due{seconds(120)};
};

void LoadSampler::State::read_queue(Reading& reading) {
  const auto text = files.text("proc/loadavg");
  const auto kernel = text ? kernel_load(*text) : std::nullopt;
  if (!kernel) return;
  reading.running =
      static_cast<double>(kernel->running > 0 ? kernel->running - 1 : 0);  // without this process
  reading.loads = {kernel->one, kernel->fifteen};
}

void LoadSampler::State::read_rates(Reading& reading) {
  if (const auto text = files.text("proc/stat")) reading.cpu = cpu_ticks(*text);
  if (const auto text = files.text("proc/vmstat")) reading.pages = swapped_pages(*text);
  if (const auto text = files.text("proc/diskstats")) reading.disks = disk_sectors(*text, disks);
  const auto memory = read_memory(files);
  if (!memory) return;
  reading.mem = static_cast<double>(memory->available / 1024);
  reading.swp = static_cast<double>(memory->swap_available / 1024);
  sizes.maxmem = memory->total / 1024;
  sizes.maxswp = memory->swap_total / 1024;
}

void LoadSampler::State::read_logins(Reading& reading) {
  const auto logins = current_logins(files);
  reading.users = distinct_users(logins);
  const auto text = files.text("proc/uptime");
  const auto uptime = text ? uptime_seconds(*text) : std::nullopt;
  if (!uptime) return;
  terminals.look(terminal_times(files, logins), source.wall_clock().count(), *uptime);
  // No terminal used since LIM started: idle since boot.
  reading.idle_minutes = std::floor(terminals.idle(*uptime).value_or(*uptime) / 60);
}

void LoadSampler::State::read_tmp(Reading& reading) {
  disks = local_disks(files);
  const auto size = size_of_tmp(source, files);
  if (!size) return;
  reading.tmp = size->free_mb;
  sizes.maxtmp = static_cast<std::uint64_t>(size->total_mb);
}

LoadSampler::LoadSampler(HostSource source) : state_(std::make_unique<State>(std::move(source))) {}
LoadSampler::LoadSampler(LoadSampler&&) noexcept = default;
LoadSampler& LoadSampler::operator=(LoadSampler&&) noexcept = default;
LoadSampler::~LoadSampler() = default;

BuiltInLoad LoadSampler::sample(TimePoint now) {
  Reading reading;
  state_->read_queue(reading);
  if (state_->tmp_due(now)) state_->read_tmp(reading);
  if (state_->rates_due(now)) state_->read_rates(reading);
  if (state_->logins_due(now)) state_->read_logins(reading);
  return update(state_->load, reading, now);
}

const HostSizes& LoadSampler::sizes() const { return state_->sizes; }

}  // namespace rollcall::load
