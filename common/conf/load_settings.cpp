// What the load system's programs take from lsf.conf, with the default of each.
#include <algorithm>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/cluster_files.hpp"
#include "common/conf/known_parameters.hpp"
#include "common/conf/settings_reader.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

constexpr std::string_view kLogLevels[] = {"LOG_EMERG",   "LOG_ALERT",  "LOG_CRIT",  "LOG_ERR",
                                           "LOG_WARNING", "LOG_NOTICE", "LOG_INFO",  "LOG_DEBUG",
                                           "LOG_DEBUG1",  "LOG_DEBUG2", "LOG_DEBUG3"};

class LoadReader {
 public:
  LoadReader(const LsfConf& conf, Problems& problems)
      : in_(conf, problems), conf_(conf), problems_(problems) {}

  LoadSettings read(const std::string& env_dir) {
    LoadSettings settings;
    settings.env_dir = env_dir;
    settings.conf_dir = in_.directory("LSF_CONFDIR", env_dir);
    settings.server_dir = in_.directory("LSF_SERVERDIR", "");
    settings.log_dir = in_.directory("LSF_LOGDIR", "");
    settings.log_mask = log_mask();
    settings.key_file = in_.directory("ROLLCALL_CLUSTER_KEY", env_dir + "/cluster.key");
    settings.work_dir = in_.directory("ROLLCALL_RUNDIR", settings.log_dir);
    settings.cluster = conf_.value("ROLLCALL_CLUSTER");
    if (settings.cluster.empty()) settings.cluster = conf_.value("LSF_CLUSTER_NAME");
    settings.lim_port = in_.port("LSF_LIM_PORT", settings.lim_port);
    settings.master_list = hosts("LSF_MASTER_LIST");
    settings.server_hosts = hosts("LSF_SERVER_HOSTS");
    settings.strict_resreq = in_.yes_no("LSF_STRICT_RESREQ", false);
    settings.limit_unit = limit_unit();
    settings.check_addresses = in_.yes_no("ROLLCALL_CHECK_ADDRESSES", true);
    settings.http = http();
    return settings;
  }

  // Warns of each known name without a value, and of each unknown name; where that looks like a typing error, the warning has the known
  // name.
  void warn_of_names() {
    auto known = load_setting_names();
    for (const auto& parameter : known_parameters())
      if (parameter.file == KnownParameter::File::lsf_conf) known.push_back(parameter.name);
    for (const auto& [name, setting] : conf_.settings()) {
      if (std::find(known.begin(), known.end(), name) != known.end()) {
        if (setting.value.empty())
          problems_.warning(setting_place(setting),
                            name + ": found no value, expected one; it counts as not set");
        continue;
      }
      // The prefix must be right: LSB_CONFDIR is not LSF_CONFDIR.
      const auto meant = std::find_if(known.begin(), known.end(), [&name = name](std::string_view one) {
        return name.substr(0, 4) == one.substr(0, 4) && one_slip(name, one);
      });
      if (meant == known.end())
        problems_.warning(setting_place(setting), name + " has no effect: this release does not know it");
      else
        problems_.warning(setting_place(setting), "found the parameter " + name + ", expected " +
                                                      std::string(*meant) + "? It is passed over");
    }
  }

 private:
  std::string log_mask() {
    const Setting* setting = conf_.find("LSF_LOG_MASK");
    if (!setting) return "LOG_WARNING";
    if (std::find(std::begin(kLogLevels), std::end(kLogLevels), setting->value) != std::end(kLogLevels))
      return setting->value;
    in_.error(*setting, "LSF_LOG_MASK", "LOG_EMERG ... LOG_WARNING ... LOG_DEBUG3");
    return "LOG_WARNING";
  }

  std::vector<std::string> hosts(std::string_view name) {
    const Setting* setting = conf_.find(name);
    if (!setting) return {};
    auto words = split_words(setting->value);
    std::erase_if(words, [&](const std::string& word) {
      if (host_name(word)) return false;
      // Fatal: a master on another host would open an empty store.
      if (name == "LSF_MASTER_LIST")
        in_.fatal(*setting, name, "host names with blanks between them");
      else
        in_.error(*setting, name, "host names with blanks between them");
      return true;
    });
    return words;
  }

  LimitUnit limit_unit() {
    LimitUnit unit;
    unit.of_tmp = in_.yes_no("LSF_ENABLE_TMP_UNIT", false);
    const Setting* setting = conf_.find("LSF_UNIT_FOR_LIMITS");
    if (!setting) return unit;
    const auto kb = unit_kb(setting->value);
    // Fatal: with KB instead, jobs within their limits would be killed.
    if (!kb) return in_.fatal(*setting, "LSF_UNIT_FOR_LIMITS", "KB, MB, GB, TB, PB or EB"), unit;
    unit.kb = *kb;
    unit.given = true;
    return unit;
  }

  std::string http() {
    const Setting* setting = conf_.find("ROLLCALL_HTTP");
    if (!setting) return "";
    const std::size_t colon = setting->value.rfind(':');
    const std::string_view port =
        std::string_view(setting->value).substr(colon == std::string::npos ? 0 : colon + 1);
    if (parse_whole(port, 1, 65535) && colon != 0) return setting->value;
    in_.error(*setting, "ROLLCALL_HTTP", "PORT or ADDRESS:PORT");
    return "";
  }

  SettingsReader in_;
  const LsfConf& conf_;
  Problems& problems_;
};

}  // namespace

const std::vector<std::string_view>& load_setting_names() {
  static const std::vector<std::string_view> names{
      "LSF_CLUSTER_NAME", "LSF_CONFDIR", "LSF_LIM_PORT", "LSF_LOGDIR", "LSF_LOG_MASK", "LSF_MASTER_LIST",
      "LSF_SERVERDIR", "LSF_SERVER_HOSTS", "LSF_STRICT_RESREQ", "LSF_STRIP_DOMAIN", "ROLLCALL_CLUSTER",
      "ROLLCALL_RUNDIR", "ROLLCALL_HTTP", "ROLLCALL_CLUSTER_KEY", "ROLLCALL_CHECK_ADDRESSES",
      "ROLLCALL_MUNGE_SOCKET", "ROLLCALL_RESTART_DAEMONS", "ROLLCALL_PRODUCT", "LSF_RSH", "LSF_LSLOAD_FORMAT",
      "EGO_DEFINE_NCPUS", "LSB_CONFDIR", "LSF_BINDIR", "LSF_LIBDIR",
      // of the batch system: batch_settings.hpp
      "LSB_MBD_PORT", "LSF_RES_PORT", "ROLLCALL_MBD_HOST", "ROLLCALL_GUEST_UID_MIN",
      "ROLLCALL_GUEST_OWN_USER", "ROLLCALL_FORWARD_ROOM_FIRST", "ROLLCALL_PEERS", "ROLLCALL_PEER_KEYS",
      "LSB_SHAREDIR", "ROLLCALL_JOBDIR", "ROLLCALL_JOB_CGROUPS", "ROLLCALL_MPI_VARIABLES",
      "ROLLCALL_USER_CONNECTIONS", "ROLLCALL_USER_TASKS", "ROLLCALL_MBD_USER_CONNECTIONS",
      "ROLLCALL_TICKET_LIFE", "ROLLCALL_BJOBS_HISTORY", "LSB_BJOBS_CONSISTENT_EXIT_CODE"};
  return names;
}

LoadSettings read_load_settings(const LsfConf& lsf_conf, const std::string& env_dir, Problems& problems) {
  LoadReader reader(lsf_conf, problems);
  auto settings = reader.read(env_dir);
  reader.warn_of_names();
  return settings;
}

Result<LoadSettings> read_load_settings(const LsfConf& lsf_conf, const std::string& env_dir) {
  Problems problems;
  auto settings = LoadReader(lsf_conf, problems).read(env_dir);
  problems.sort();
  if (const Problem* problem = problems.first_fatal()) return configuration_error(problem->line());
  return settings;
}

}  // namespace rollcall::conf
