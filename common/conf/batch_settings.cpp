#include "common/conf/batch_settings.hpp"

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/row_reader.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

class BatchReader {
 public:
  BatchReader(const LsfConf& conf, Problems& problems) : conf_(conf), problems_(problems) {}

  int port(std::string_view name, int otherwise) {
    const Setting* setting = conf_.find(name);
    if (!setting) return otherwise;
    const auto number = parse_whole(setting->value, 1, 65535);
    if (!number) fatal(*setting, name, "a port from 1 to 65535");
    return number.value_or(otherwise);
  }

  // Every program must find the same file, whatever its working directory is.
  std::string directory(std::string_view name, std::string otherwise) {
    const Setting* setting = conf_.find(name);
    if (!setting) return otherwise;
    if (!setting->value.starts_with('/')) fatal(*setting, name, "an absolute path");
    return setting->value;
  }

  bool yes_no(std::string_view name) {
    const Setting* setting = conf_.find(name);
    if (!setting) return false;
    const auto value = parse_yes_no(setting->value);
    if (!value) error(*setting, name, "Y or N");
    return value.value_or(false);
  }

  std::optional<Duration> seconds(std::string_view name) {
    const Setting* setting = conf_.find(name);
    if (!setting) return std::nullopt;
    const auto value = parse_seconds(setting->value);
    if (!value) error(*setting, name, "seconds from 0 to " + std::to_string(kMaxSeconds));
    return value;
  }

 private:
  static std::string told(const Setting& setting, std::string_view name, std::string_view expected) {
    return std::string(name) + ": found " + printable(setting.value) + ", expected " + std::string(expected);
  }
  void error(const Setting& setting, std::string_view name, std::string_view expected) {
    problems_.error(setting_place(setting), told(setting, name, expected));
  }
  // Of ports and directories: with the default, daemons would not find one another, or an empty store.
  void fatal(const Setting& setting, std::string_view name, std::string_view expected) {
    problems_.fatal(setting_place(setting), told(setting, name, expected));
  }

  const LsfConf& conf_;
  Problems& problems_;
};

}  // namespace

BatchSettings read_batch_settings(const ClusterFiles& files, Problems& problems) {
  BatchReader in(files.lsf_conf, problems);
  BatchSettings batch;
  batch.mbd_port = in.port("LSB_MBD_PORT", batch.mbd_port);
  batch.res_port = in.port("LSF_RES_PORT", batch.res_port);
  batch.share_dir = in.directory("LSB_SHAREDIR", files.settings.env_dir + "/work");
  batch.job_dir = in.directory("ROLLCALL_JOBDIR", "/var/spool/rollcall");
  batch.bin_dir = in.directory("LSF_BINDIR", "");
  batch.lib_dir = in.directory("LSF_LIBDIR", "");
  batch.consistent_exit = in.yes_no("LSB_BJOBS_CONSISTENT_EXIT_CODE");
  batch.alive_timeout = in.seconds("LSF_RES_ALIVE_TIMEOUT").value_or(batch.alive_timeout);
  batch.heartbeat = in.seconds("LSB_DJOB_HB_INTERVAL");
  batch.usage_interval = in.seconds("LSB_DJOB_RU_INTERVAL");
  const std::string named = files.lsf_conf.value("ROLLCALL_MBD_HOST");
  if (!named.empty())
    batch.mbd_host = files.names.official(named).value_or(named);
  else if (!files.candidates.empty())
    batch.mbd_host = files.candidates.front();
  return batch;
}

Result<BatchSettings> read_batch_settings(const ClusterFiles& files) {
  Problems problems;
  auto batch = read_batch_settings(files, problems);
  if (const Problem* problem = problems.first_fatal()) return configuration_error(problem->line());
  return batch;
}

}  // namespace rollcall::conf
