#include "elim/commands/daemon_work.hpp"

#include <unistd.h>

#include "common/conf/lsb/lsb_files.hpp"
#include "common/io/host_addresses.hpp"
#include "common/io/program_place.hpp"

namespace rollcall::elim {
namespace {

// lsf.conf alone: ports and directories are in it, and it may be all that can be read.
Result<conf::ClusterFiles> read_lsf_conf(const conf::FileSources& sources) {
  const auto text = sources.read(sources.env_dir + "/lsf.conf");
  if (!text) return text.error();
  conf::Problems problems;
  auto files = conf::lsf_conf_alone(*text, sources.env_dir, problems);
  if (const auto* fatal = problems.first_fatal()) return configuration_error(fatal->line());
  return files;
}

std::optional<show::HostRole> role_of(const conf::CheckedClusterFiles& checked, const std::string& here,
                                      const conf::BatchSettings& batch) {
  if (!checked.files) return std::nullopt;
  const auto official = checked.files->names.official(here);
  const auto* row = official ? checked.files->cluster.host(*official) : nullptr;
  if (row == nullptr) return std::nullopt;
  return show::HostRole{*official, row->server, batch.mbd_host};
}

}  // namespace

int DaemonWork::port(const show::DaemonKind& kind) const {
  switch (kind.where) {
    case show::DaemonKind::Where::server_hosts:
      return batch.res_port;
    case show::DaemonKind::Where::batch_host:
      return batch.mbd_port;
    case show::DaemonKind::Where::every_host:
      break;
  }
  return place.settings().lim_port;
}

std::string DaemonWork::why_not(const show::DaemonKind& kind) const {
  if (kind.where == show::DaemonKind::Where::every_host) return "";
  if (!role) return "the files do not say what this host is";
  if (auto why = show::why_not_here(kind, *role); !why.empty()) return why;
  return no_program(kind);
}

std::string DaemonWork::no_program(const show::DaemonKind& kind) const {
  if (place.has_program(kind)) return "";
  const auto& directory = place.settings().server_dir;
  return "found no such program in " + (directory.empty() ? "LSF_SERVERDIR (not set)" : directory);
}

std::string DaemonWork::missing() const {
  std::string names, reason;
  if (!asked.empty() || !role) return "";
  for (const auto& kind : show::daemon_kinds()) {
    const bool belongs =
        kind.where != show::DaemonKind::Where::every_host && show::why_not_here(kind, *role).empty();
    const auto why = belongs ? no_program(kind) : "";
    if (why.empty()) continue;
    names += (names.empty() ? "" : ", ") + kind.name;
    reason = why;
  }
  return names.empty() ? "" : names + ": not started: " + reason;
}

bool DaemonWork::has_batch_files() const {
  return checked.files && sources.read(conf::lsb_directory(*checked.files) + "/lsb.queues").has_value();
}

std::vector<show::DaemonKind> DaemonWork::kinds() const {
  if (!asked.empty()) return asked;
  std::vector<show::DaemonKind> found;
  for (const auto& kind : show::daemon_kinds())
    if (why_not(kind).empty() || read_pid_file(place.pid_file(kind))) found.push_back(kind);
  return found;
}

Result<void> DaemonWork::check_asked() const {
  for (const auto& kind : asked)
    if (const auto why = why_not(kind); !why.empty())
      return configuration_error(kind.name + ": does not belong on this host: " + why);
  return {};
}

Result<DaemonWork> read_daemon_work(conf::FileSources sources) {
  auto alone = read_lsf_conf(sources);
  if (!alone) return alone.error();
  auto checked = conf::read_cluster_files(sources);
  const auto batch =
      conf::read_batch_settings(checked.files ? *checked.files : *alone);  // mbatchd's host needs all files
  if (!batch) return batch.error();
  const bool restarts = alone->programs.commands.restarts_daemons;
  std::string here = io::host_name_here();
  auto role = role_of(checked, here, *batch);
  return DaemonWork{std::move(sources),
                    std::move(checked),
                    DaemonPlace(std::move(alone->settings)),
                    *batch,
                    std::move(here),
                    std::move(role),
                    restarts ? io::program_directory() + "/lsf_daemons" : "",
                    std::nullopt,
                    {}};
}

}  // namespace rollcall::elim
