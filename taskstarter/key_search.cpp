#include "taskstarter/key_search.hpp"

#include <unistd.h>

#include <cstdlib>

#include "common/conf/lsf_conf.hpp"
#include "common/io/key_file.hpp"
#include "common/io/read_file.hpp"
#include "taskstarter/name_lookup.hpp"

namespace rollcall::taskstarter {
namespace {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string home_directory() {
  if (const auto home = variable("HOME"); home && !home->empty()) return *home;
  return look_up_home(geteuid());
}

// What lsf.conf says of a parameter; nothing where there is no lsf.conf.
Result<std::optional<std::string>> from_lsf_conf(const std::string& conf_dir, const char* parameter) {
  std::optional<std::string> none;
  if (conf_dir.empty()) return none;
  const std::string path = conf_dir + "/lsf.conf";
  const auto content = io::read_file(path);
  if (!content && (content.error() == boost::system::errc::no_such_file_or_directory ||
                   content.error() == boost::system::errc::not_a_directory))
    return none;
  if (!content) return configuration_error(path + ": cannot read it: " + content.error().message());
  const auto conf = conf::LsfConf::parse(*content, path);
  if (!conf) return configuration_error(conf.error().text.substr(0, conf.error().text.find('\n')));
  return std::optional<std::string>(conf->value(parameter));
}

}  // namespace

Result<io::Key> find_key(const std::string& conf_dir) {
  const auto environment = variable("ROLLCALL_KEY_FILE");
  std::optional<std::string> configured;
  if (!environment || environment->empty()) {
    auto found = from_lsf_conf(conf_dir, "ROLLCALL_KEY_FILE");
    if (!found) return found.error();
    configured = *found;
  }
  const bool named = (environment && !environment->empty()) || (configured && !configured->empty());
  return io::load_key(io::key_file_path(environment, configured, named ? "" : home_directory()));
}

bool job_cgroups_wanted(const std::string& conf_dir) {
  auto word = variable("ROLLCALL_TASK_CGROUPS");
  if (!word)
    if (const auto configured = from_lsf_conf(conf_dir, "ROLLCALL_TASK_CGROUPS")) word = *configured;
  return word != "N" && word != "n";
}

}  // namespace rollcall::taskstarter
