#include "sched/mbatchd/configuration_views.hpp"

#include <algorithm>

namespace rollcall::mbatchd {

std::set<std::string> servers_of(const Configuration& configuration) {
  std::set<std::string> hosts;
  for (const auto& host : configuration.rules->hosts)
    if (host.ours()) hosts.insert(host.text());
  return hosts;
}

FileAges file_ages_of(const Configuration& configuration) {
  FileAges ages;
  const auto& params = configuration.files.lsb->params;
  ages.finished_jobs = params.max_job_num;
  ages.event_files = params.event_files;
  ages.account_kb = params.account_kb;
  ages.account_days = params.account_days;
  ages.account_files = params.account_files;
  ages.account_minute = params.account_minute;
  const auto& program = configuration.files.cluster->programs.mbatchd;
  ages.style.short_hosts = program.short_event_hosts;
  ages.style.host_usage = program.host_usage;
  return ages;
}

wire::JobEvent start_event(const Configuration& configuration, WallTime now) {
  wire::JobEvent event;
  event.set_at_us(now.us);
  auto& start = *event.mutable_mbd_start();
  start.set_host(configuration.host);
  start.set_cluster(configuration.settings().cluster);
  start.set_hosts(static_cast<int>(configuration.rules->hosts.size()));
  start.set_queues(static_cast<int>(configuration.rules->queues.size()));
  return event;
}

wire::JobEvent indices_event(const Configuration& configuration, WallTime now) {
  wire::JobEvent event;
  event.set_at_us(now.us);
  auto& indices = *event.mutable_load_indices();
  for (const auto& definition : configuration.files.cluster->indices.all())
    if (definition.dynamic() && definition.type == ResourceType::numeric) indices.add_names(definition.name);
  return event;
}

wire::JobEvent die_event(const Configuration& configuration, WallTime now) {
  wire::JobEvent event;
  event.set_at_us(now.us);
  event.mutable_mbd_die()->set_host(configuration.host);
  return event;
}

std::vector<std::string> what_needs_a_restart(const Configuration& before, const Configuration& next) {
  std::vector<std::string> lines;
  const auto note = [&](bool changed, const char* what) {
    if (changed) lines.push_back(std::string(what) + " has changed: it is in force after badmin mbdrestart");
  };
  note(before.files.batch->mbd_port != next.files.batch->mbd_port, "LSB_MBD_PORT");
  note(before.settings().key_file != next.settings().key_file, "ROLLCALL_CLUSTER_KEY");
  note(before.directory != next.directory, "LSB_SHAREDIR");
  return lines;
}

std::string parameter_lines(const Configuration& configuration) {
  std::string text;
  for (const auto& line : configuration.files.lsb->params.shown)
    text += (text.empty() ? "" : "\n") + line.keyword + " = " + line.text;
  return text;
}

}  // namespace rollcall::mbatchd
