#include "common/conf/batch_settings.hpp"

#include "common/base/numbers.hpp"
#include "common/conf/settings_reader.hpp"

namespace rollcall::conf {
namespace {

std::optional<Duration> seconds(SettingsReader& in, std::string_view name) {
  const Setting* setting = in.find(name);
  if (!setting) return std::nullopt;
  const auto value = parse_seconds(setting->value);
  if (!value) in.error(*setting, name, "seconds from 0 to " + std::to_string(kMaxSeconds));
  return value;
}

}  // namespace

std::string named_mbd_host(const ClusterFiles& files) { return files.lsf_conf.value("ROLLCALL_MBD_HOST"); }

BatchSettings read_batch_settings(const ClusterFiles& files, Problems& problems) {
  SettingsReader in(files.lsf_conf, problems);
  BatchSettings batch;
  batch.mbd_port = in.port("LSB_MBD_PORT", batch.mbd_port);
  batch.res_port = in.port("LSF_RES_PORT", batch.res_port);
  batch.share_dir = in.directory("LSB_SHAREDIR", files.settings.env_dir + "/work");
  batch.job_dir = in.directory("ROLLCALL_JOBDIR", "/var/spool/rollcall");
  batch.bin_dir = in.directory("LSF_BINDIR", "");
  batch.lib_dir = in.directory("LSF_LIBDIR", "");
  batch.alive_timeout = seconds(in, "LSF_RES_ALIVE_TIMEOUT").value_or(batch.alive_timeout);
  batch.heartbeat = seconds(in, "LSB_DJOB_HB_INTERVAL");
  batch.usage_interval = seconds(in, "LSB_DJOB_RU_INTERVAL");
  const std::string named = named_mbd_host(files);
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
