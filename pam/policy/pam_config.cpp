#include "pam/policy/pam_config.hpp"

#include "common/base/host_list.hpp"
#include "common/base/link_patience.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/row_reader.hpp"

namespace rollcall::pam {
namespace {

// Looks parameters up in both places and collects their errors.
class Lookup {
 public:
  Lookup(const conf::LsfConf& conf, const Environment& environment)
      : conf_(conf), environment_(environment) {}

  // The value and its place; none where it is set in neither.
  std::optional<conf::Setting> find(std::string_view name) const {
    const auto found = environment_.find(name);
    if (found != environment_.end() && !found->second.empty())
      return conf::Setting{found->second, "environment"};
    if (const conf::Setting* setting = conf_.find(name)) return *setting;
    return std::nullopt;
  }

  std::optional<Duration> seconds(std::string_view name) {
    const auto setting = find(name);
    if (!setting) return std::nullopt;
    const auto value = parse_seconds(setting->value);
    if (!value) complain(*setting, name, "seconds from 0 to " + std::to_string(kMaxSeconds));
    return value;
  }

  bool word(std::string_view name, std::string_view known) {
    const auto setting = find(name);
    if (!setting) return false;
    if (setting->value != known) complain(*setting, name, std::string(known) + " or nothing");
    return setting->value == known;
  }

  bool yes(std::string_view name, bool usual = false) {
    const auto setting = find(name);
    if (!setting) return usual;
    const auto value = conf::parse_yes_no(setting->value);
    if (!value) complain(*setting, name, "Y or N");
    return value.value_or(false);
  }

  // Every host must find the same file, whatever its working directory is.
  std::string path(std::string_view name) {
    const auto setting = find(name);
    if (!setting) return "";
    if (!setting->value.starts_with('/')) complain(*setting, name, "an absolute path");
    return setting->value;
  }

  const std::string& errors() const { return errors_; }

 private:
  void complain(const conf::Setting& setting, std::string_view name, const std::string& expected) {
    if (!errors_.empty()) errors_ += "; ";
    errors_ += setting.where + ": " + std::string(name) + ": found " + printable(setting.value) +
               ", expected " + expected;
  }

  const conf::LsfConf& conf_;
  const Environment& environment_;
  std::string errors_;
};

}  // namespace

Environment environment_of(const char* const* envp) {
  Environment environment;
  for (; envp && *envp; ++envp) {
    const std::string_view pair = *envp;
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos)
      environment.emplace(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return environment;
}

Result<PamConfig> pam_config(const conf::LsfConf& conf, const Environment& environment) {
  Lookup lookup(conf, environment);
  PamConfig config;
  if (const auto timeout = lookup.seconds("LSF_HPC_PJL_LOADENV_TIMEOUT"))
    config.registration_timeout = *timeout;
  config.clean_job_delay = lookup.seconds("LSF_PAM_CLEAN_JOB_DELAY");
  config.unique_hosts = lookup.word("LSF_PAM_HOSTLIST_USE", "unique");
  if (const auto interval = lookup.seconds("JOB_TERMINATE_INTERVAL")) config.terminate_interval = *interval;
  if (const auto patience = lookup.seconds("LSF_RES_ALIVE_TIMEOUT")) config.link_patience = *patience;
  const auto action = lookup.find("LSB_DJOB_COMMFAIL_ACTION");
  if (action && commfail_action(action->value) == CommfailAction::ignore_commfail)
    config.link_patience = Duration{0};
  config.key_file = lookup.path("ROLLCALL_KEY_FILE");
  config.site_key_file = conf.value("ROLLCALL_KEY_FILE");
  config.server_dir = lookup.path("LSF_SERVERDIR");
  config.one_word_callback = lookup.yes("ROLLCALL_ONE_WORD_CALLBACK");
  // A site that wants no shepherd to be a relay wants no other relay, unless it says so.
  config.host_relay = lookup.yes("ROLLCALL_HOST_RELAY", lookup.yes("ROLLCALL_TASK_RELAY", config.host_relay));
  if (!lookup.errors().empty()) return configuration_error(lookup.errors());
  return config;
}

}  // namespace rollcall::pam
