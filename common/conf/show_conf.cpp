#include "common/conf/show_conf.hpp"

#include <map>

#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

constexpr int kMostWarnings = 50;  // without -v
constexpr const char* kDefault = "default";

std::string yes_no(bool value) { return value ? "Y" : "N"; }

// Seconds without trailing zeros: "15", "0.5".
std::string seconds_text(Duration duration) {
  const auto count = duration.count();
  std::string text = std::to_string(count / 1'000'000'000);
  std::string fraction = std::to_string(count % 1'000'000'000);
  if (fraction == "0") return text;
  fraction.insert(0, 9 - fraction.size(), '0');
  return text + "." + fraction.substr(0, fraction.find_last_not_of('0') + 1);
}

// Every parameter of LoadSettings, with the value that takes effect.
std::map<std::string, std::string> in_force(const ClusterFiles& files) {
  const LoadSettings& s = files.settings;
  return {{"LSF_CLUSTER_NAME", s.cluster},
          {"LSF_CONFDIR", s.conf_dir},
          {"LSF_LIM_PORT", std::to_string(s.lim_port)},
          {"LSF_LOGDIR", s.log_dir},
          {"LSF_LOG_MASK", s.log_mask},
          {"LSF_MASTER_LIST", join(files.candidates)},
          {"LSF_SERVERDIR", s.server_dir},
          {"LSF_SERVER_HOSTS", join(s.server_hosts)},
          {"LSF_STRICT_RESREQ", yes_no(s.strict_resreq)},
          {"LSF_STRIP_DOMAIN", files.lsf_conf.value("LSF_STRIP_DOMAIN")},
          {"ROLLCALL_CLUSTER_KEY", s.key_file},
          {"ROLLCALL_HTTP", s.http},
          {"ROLLCALL_RUNDIR", s.work_dir}};
}

std::vector<std::pair<std::string, std::string>> in_force(const ClusterParameters& p) {
  return {{"EXINTERVAL", seconds_text(p.exchange_interval)},
          {"HOST_INACTIVITY_LIMIT", std::to_string(p.host_inactivity_limit)},
          {"MASTER_INACTIVITY_LIMIT", std::to_string(p.master_inactivity_limit)},
          {"RETRY_LIMIT", std::to_string(p.retry_limit)},
          {"PROBE_TIMEOUT", seconds_text(p.probe_timeout)},
          {"ADJUST_DURATION", std::to_string(p.adjust_duration)},
          {"ELIMARGS", join(p.elim_arguments)},
          {"ELIM_POLL_INTERVAL", seconds_text(p.elim_poll_interval)},
          {"LSF_ELIM_BLOCKTIME", seconds_text(p.elim_block_time)},
          {"LSF_ELIM_DEBUG", yes_no(p.elim_debug)},
          {"LSF_ELIM_RESTARTS", p.elim_restarts ? std::to_string(*p.elim_restarts) : ""},
          {"ELIM_ABORT_VALUE", std::to_string(p.elim_abort_value)},
          {"ROLLCALL_ELIM_RESTART_INTERVAL", seconds_text(p.elim_restart_interval)}};
}

// A value in quotes where it would not read back otherwise.
std::string shown(const std::string& value) {
  if (value.find('#') == std::string::npos && trim(value) == value) return value;
  const char quote = value.find('"') == std::string::npos ? '"' : '\'';
  return quote + value + quote;
}

}  // namespace

std::vector<ShownParameter> shown_parameters(const ClusterFiles& files) {
  std::vector<ShownParameter> parameters;
  auto read = in_force(files);
  // ROLLCALL_CLUSTER goes before LSF_CLUSTER_NAME, and is shown under that name.
  const Setting* cluster = files.lsf_conf.find("ROLLCALL_CLUSTER");
  std::map<std::string, ShownParameter> by_name;
  for (const auto& [name, value] : read) {
    const Setting* setting = name == "LSF_CLUSTER_NAME" && cluster ? cluster : files.lsf_conf.find(name);
    by_name[name] = {name, value, setting ? setting->where : kDefault};
  }
  for (const auto& [name, setting] : files.lsf_conf.settings())
    by_name.emplace(name, ShownParameter{name, setting.value, setting.where});
  for (auto& [name, parameter] : by_name) parameters.push_back(std::move(parameter));
  for (const auto& [name, value] : in_force(files.cluster.parameters)) {
    const Cell* cell = files.parameter_cells.given(name);
    parameters.push_back({name, value, cell ? cell->place.text() : kDefault});
  }
  return parameters;
}

std::string show_conf_text(const std::vector<ShownParameter>& parameters, bool verbose) {
  std::string text;
  for (const ShownParameter& parameter : parameters) {
    text += parameter.name + " =" + (parameter.value.empty() ? "" : " " + shown(parameter.value));
    if (verbose) text += "  # " + parameter.where;
    text += "\n";
  }
  return text;
}

std::string check_text(const Problems& problems, const std::vector<std::string>& files, bool verbose) {
  std::string text;
  if (verbose)
    for (const std::string& file : files) text += "Checked " + file + "\n";
  int warnings = 0;
  for (const Problem& problem : problems.all())
    if (problem.kind != Problem::Kind::warning || verbose || ++warnings <= kMostWarnings)
      text += problem.line() + "\n";
  const int errors = problems.errors();
  text += errors == 0   ? "No errors found."
          : errors == 1 ? "There is 1 error."
                        : "There are " + std::to_string(errors) + " errors.";
  if (problems.warnings() == 1) text += "\nThere is 1 warning.";
  if (problems.warnings() > 1) text += "\nThere are " + std::to_string(problems.warnings()) + " warnings.";
  if (warnings > kMostWarnings) text += " -v shows all of them.";
  return text + "\n";
}

}  // namespace rollcall::conf
