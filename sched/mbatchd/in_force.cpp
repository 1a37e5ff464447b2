#include "sched/mbatchd/in_force.hpp"

#include <algorithm>

#include "common/base/numbers.hpp"

namespace rollcall::mbatchd {

std::set<std::string> servers_of(const Configuration& configuration) {
  std::set<std::string> hosts;
  for (const auto& host : configuration.rules->hosts)
    if (host.cluster.empty()) hosts.insert(host.name);
  return hosts;
}

namespace {

// "23:30" as a minute of the day.
std::optional<int> minute_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto hour = parse_whole(text.substr(0, colon), 0, 23);
  const auto minute = parse_whole(text.substr(colon + 1), 0, 59);
  return hour && minute ? std::optional(*hour * 60 + *minute) : std::nullopt;
}

}  // namespace

FileAges file_ages_of(const Configuration& configuration, const io::Log& log) {
  FileAges ages;
  ages.finished_jobs = configuration.files.lsb->params.max_job_num;
  ages.event_files = parameter(configuration, "MAX_EVENT_ARCHIVE_FILE", 0);
  ages.account_kb = parameter(configuration, "ACCT_ARCHIVE_SIZE", 0);
  ages.account_days = parameter(configuration, "ACCT_ARCHIVE_AGE", 0);
  ages.account_files = parameter(configuration, "MAX_ACCT_ARCHIVE_FILE", 0);
  if (const auto* cell = configuration.files.lsb->params.cells.given("ACCT_ARCHIVE_TIME");
      cell && !cell->text.empty()) {
    ages.account_minute = minute_of(cell->text);
    if (!ages.account_minute)
      log.warning("lsb.params: ACCT_ARCHIVE_TIME: found " + cell->text +
                  ", expected a time of day, hh:mm; it has no effect");
  }
  const std::string extensions = configuration.files.cluster->lsf_conf.value("LSF_HPC_EXTENSIONS");
  ages.style.short_hosts = extensions.find("SHORT_EVENTFILE") != std::string::npos;
  ages.style.host_usage = extensions.find("HOST_RUSAGE") != std::string::npos;
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
  for (const auto& [keyword, cell] : configuration.files.lsb->params.cells.cells())
    text += (text.empty() ? "" : "\n") + keyword + " = " + cell.text;
  return text;
}

}  // namespace rollcall::mbatchd
