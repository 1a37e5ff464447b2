#include "pam/settings.hpp"

#include <errno.h>
#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "common/base/host_list.hpp"
#include "common/conf/lsf_conf.hpp"
#include "common/io/host_addresses.hpp"
#include "common/io/key_file.hpp"
#include "common/io/read_file.hpp"
#include "common/io/relay_directory.hpp"
#include "common/wire/relay.hpp"
#include "pam/conversation.hpp"
#include "pam/policy/launcher_grace.hpp"
#include "pam/policy/launcher_table.hpp"

namespace rollcall::pam {
namespace {

namespace fs = std::filesystem;

// LSF_ENVDIR says where lsf.conf is, and it must be there; without it, conf/ beside our own bin/ may have one.
struct ConfDir {
  std::string path;
  bool named = false;
};

std::string value_of(const Environment& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

std::string own_directory() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? "." : program.parent_path().string();
}

ConfDir conf_dir(const Environment& environment, const std::string& bin) {
  const std::string named = value_of(environment, "LSF_ENVDIR");
  if (!named.empty()) return {named, true};
  return {(fs::path(bin).parent_path() / "conf").string(), false};
}

Result<conf::LsfConf> read_conf(const ConfDir& dir) {
  const std::string path = dir.path + "/lsf.conf";
  const auto text = io::read_regular_file(path);
  if (text) return conf::LsfConf::parse(*text, path);
  if (!dir.named && text.error() == boost::system::errc::no_such_file_or_directory) return conf::LsfConf{};
  return configuration_error(path + ": cannot read it: " + text.error().message() +
                             (dir.named ? " (LSF_ENVDIR is " + dir.path + ")" : ""));
}

// For the key alone, which must be the same on every host and in every directory.
Result<std::string> home_of(const Environment& environment) {
  const std::string home = value_of(environment, "HOME");
  if (!home.empty() && home[0] != '/')
    return configuration_error("HOME: found " + printable(home) +
                               ", expected an absolute path, or ROLLCALL_KEY_FILE");
  if (!home.empty()) return home;
  const passwd* entry = getpwuid(geteuid());
  if (entry != nullptr) return std::string(entry->pw_dir);
  return configuration_error("HOME: found nothing, and user " + std::to_string(geteuid()) +
                             " has no home directory: expected one of them, or ROLLCALL_KEY_FILE");
}

std::string key_in(const std::string& home) { return io::key_file_path(std::nullopt, std::nullopt, home); }

// "" where the user has none.
std::string key_in_home_directory() {
  const passwd* entry = getpwuid(geteuid());
  return entry == nullptr ? "" : key_in(entry->pw_dir);
}

// A script may set a HOME that other hosts do not have. Then the user's existing key is the better one.
Result<std::string> key_file(const Environment& environment, const std::string& named) {
  // A job on hosts of several clusters has a key of its own, which TaskStarters find as we do.
  if (const std::string relay = value_of(environment, "ROLLCALL_RELAY"); wire::is_span_relay(relay))
    return io::span_key_file(relay);
  if (!named.empty()) return named;
  const auto home = home_of(environment);
  if (!home) return home.error();
  const std::string key = key_in(*home);
  if (access(key.c_str(), F_OK) == 0) return key;
  const std::string own = key_in_home_directory();
  return !own.empty() && access(own.c_str(), R_OK) == 0 ? own : key;
}

// The key file in a TaskStarter's words: "" if the TaskStarter finds it at once by itself. For a home directory that is not HOME it would
// ask the name services, each task anew: of thousands that start together, some get no answer in time.
std::string key_file_handed_down(const Settings& settings, const Environment& environment) {
  if (settings.span) return "";
  const std::string& site = settings.config.site_key_file;
  const bool at_home = settings.key_file == key_in_home_directory() &&
                       settings.key_file == key_in(value_of(environment, "HOME"));
  if (site.empty() ? at_home : settings.key_file == site) return "";
  std::error_code error;
  const auto path = fs::absolute(settings.key_file, error);
  return error ? "" : path.string();
}

// The file behind a launcher's word: found as execvp would, links followed. "" where there is none.
std::string resolve(const std::string& word, const Environment& environment) {
  std::error_code error;
  if (word.find('/') != std::string::npos) return fs::canonical(word, error).string();
  std::istringstream path(value_of(environment, "PATH"));
  for (std::string folder; std::getline(path, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + word;
    if (access(file.c_str(), X_OK) == 0) return fs::canonical(file, error).string();
  }
  return "";
}

std::string host_type(const Environment& environment) {
  const std::string named = value_of(environment, "HOSTTYPE");
  if (!named.empty()) return named;
  utsname name{};
  uname(&name);
  std::string type = name.machine;
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::toupper(c); });
  return type;
}

AllocationText allocation_text(const Environment& environment) {
  AllocationText text;
  text.lsb_hosts = value_of(environment, "LSB_HOSTS");
  text.lsb_mcpu_hosts = value_of(environment, "LSB_MCPU_HOSTS");
  text.hostfile_name = value_of(environment, "LSB_DJOB_HOSTFILE");
  const bool file_decides = text.lsb_hosts.empty() && text.lsb_mcpu_hosts.empty();
  if (file_decides && !text.hostfile_name.empty())
    if (const auto content = io::read_regular_file(text.hostfile_name)) text.hostfile_content = *content;
  return text;
}

// See LauncherFacts. The wrappers of Hydra do the same for themselves.
bool hydra_lacks_blaunch(const Environment& environment) {
  for (const char* chosen : {"HYDRA_LAUNCHER", "HYDRA_BOOTSTRAP"})
    if (!value_of(environment, chosen).empty()) return false;
  const std::string bin = value_of(environment, "LSF_BINDIR");
  return !bin.empty() && !value_of(environment, "LSB_MCPU_HOSTS").empty() &&
         access((bin + "/blaunch").c_str(), X_OK) != 0;
}

// The names under which TaskStarters look for us. A name with a blank or comma cannot be looked up: then only our addresses.
std::string callback_hosts() {
  const std::string all = io::reachable_as();
  const std::string name = io::host_name_here();
  return host_name(name) ? all : all.substr(name.size() + 1);
}

Callback callback_of(const Settings& settings, const Environment& environment, const std::string& bin,
                     const std::string& conf_dir) {
  const std::string& server_dir = settings.config.server_dir;
  return {.starter_path = bin + "/TaskStarter",
          .hosts = callback_hosts(),
          .env_dir = conf_dir,
          .server_dir = server_dir.empty() ? (fs::path(bin).parent_path() / "etc").string() : server_dir,
          .host_type = host_type(environment),
          .key_file = key_file_handed_down(settings, environment),
          .one_word = settings.config.one_word_callback};
}

// The number of tasks by the launcher's own words. Errors of find_job() are reported by rewrite().
void hear_launcher(const Options& options, const std::string& resolved, ExpectedInputs& inputs) {
  std::span<const std::string> words(options.command);
  const bool counted = options.mode == Options::Mode::method1;
  if (options.mode == Options::Mode::bare) return;
  if (counted) words = words.first(options.launcher_words);
  const WordsAre kind = counted ? WordsAre::launcher_only : WordsAre::launcher_then_job;
  if (options.mode == Options::Mode::mpi && !find_job(words, resolved)) return;
  inputs.launcher = tasks_in_words(words, kind, resolved);
  inputs.per_host = tasks_per_host(words, kind, resolved);
}

RollRules rules_of(const Settings& settings, const HostList& hosts) {
  const Options& options = settings.options;
  RollRules rules;
  const std::string& launcher =
      options.mode == Options::Mode::bare ? settings.facts.default_wrapper : options.command[0];
  rules.launcher = fs::path(launcher).filename().string();
  rules.host = plain_host(io::host_name_here());
  rules.expected = settings.expected.count;
  rules.registration_timeout = settings.config.registration_timeout;
  rules.keep_usage = settings.options.usage || settings.options.report_file.has_value();
  rules.first_timeout = options.timeout_first;
  const LauncherGrace grace = launcher_grace(options, settings.config, settings.facts.resolved);
  rules.linger = grace.linger;
  rules.linger_parameter = grace.parameter;
  rules.clean_job_delay = settings.config.clean_job_delay;
  rules.terminate_interval = settings.config.terminate_interval;
  const bool limited = settings.config.link_patience > Duration{0};
  rules.cut_link = limited ? settings.config.link_patience : kForEver;
  rules.hosts = hosts;
  return rules;
}

}  // namespace

Result<Settings> read_settings(const Options& options) {
  Settings settings;
  settings.options = options;
  const Environment environment = environment_of(environ);
  const std::string bin = own_directory();
  const ConfDir dir = conf_dir(environment, bin);
  if (dir.named && dir.path[0] != '/')  // it is used on other hosts and in other directories
    return configuration_error("LSF_ENVDIR: found " + printable(dir.path) + ", expected an absolute path");

  const auto conf = read_conf(dir);
  if (!conf) return conf.error();
  const auto config = pam_config(*conf, environment);
  if (!config) return config.error();
  settings.config = *config;

  if (options.mode != Options::Mode::bare) settings.facts.resolved = resolve(options.command[0], environment);
  settings.facts.hydra_lacks_blaunch = hydra_lacks_blaunch(environment);
  settings.facts.default_wrapper = bin + "/default_pjl_wrapper";

  const std::string geometry = value_of(environment, "LSB_PJL_TASK_GEOMETRY");
  const AllocationText allocation = allocation_text(environment);
  const bool file_decides = allocation.lsb_hosts.empty() && allocation.lsb_mcpu_hosts.empty();
  if (file_decides && !allocation.hostfile_name.empty() && !allocation.hostfile_content)
    return configuration_error("LSB_DJOB_HOSTFILE: " + allocation.hostfile_name +
                               ": cannot read it, expected a list of hosts");
  const auto hosts = allocated_hosts(allocation, geometry);
  if (!hosts) return hosts.error();
  ExpectedInputs inputs{.option = options.tasks,
                        .geometry = geometry,
                        .unique_hosts = settings.config.unique_hosts,
                        .djob_numproc = value_of(environment, "LSB_DJOB_NUMPROC"),
                        .allocation = allocation};
  hear_launcher(options, settings.facts.resolved, inputs);
  const auto expected = expected_tasks(inputs);
  if (!expected) return expected.error();
  settings.expected = *expected;

  const auto key = key_file(environment, settings.config.key_file);
  if (!key) return key.error();
  settings.key_file = *key;
  settings.span = wire::is_span_relay(value_of(environment, "ROLLCALL_RELAY"));
  settings.callback = callback_of(settings, environment, bin, dir.path);
  // In a job of ours the shepherds are the relays.
  settings.host_relay = settings.config.host_relay && value_of(environment, "ROLLCALL_RELAY").empty();
  if (access(settings.callback.starter_path.c_str(), X_OK) != 0)
    return configuration_error(settings.callback.starter_path + ": " +
                               std::generic_category().message(errno) + ": expected TaskStarter beside pam");

  settings.rules = rules_of(settings, *hosts);
  return settings;
}

}  // namespace rollcall::pam
