#include "taskstarter/key_search.hpp"

#include <unistd.h>

#include <cstdlib>

#include "common/conf/lsf_conf.hpp"
#include "common/io/key_file.hpp"
#include "common/io/name_lookup.hpp"
#include "common/io/read_file.hpp"

namespace rollcall::taskstarter {
namespace {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string home_directory() {
  if (const auto home = variable("HOME"); home && !home->empty()) return *home;
  return io::look_up_home(geteuid());
}

bool is_word(const std::optional<std::string>& text) { return text && !text->empty(); }

// Nothing where there is no lsf.conf.
Result<std::optional<conf::LsfConf>> read_lsf_conf(const std::string& conf_dir) {
  std::optional<conf::LsfConf> none;
  if (conf_dir.empty()) return none;
  const std::string path = conf_dir + "/lsf.conf";
  const auto content = io::read_regular_file(path);
  if (!content && (content.error() == boost::system::errc::no_such_file_or_directory ||
                   content.error() == boost::system::errc::not_a_directory))
    return none;
  if (!content) return configuration_error(path + ": cannot read it: " + content.error().message());
  auto conf = conf::LsfConf::parse(*content, path);
  if (!conf) return configuration_error(conf.error().text.substr(0, conf.error().text.find('\n')));
  return std::optional<conf::LsfConf>(std::move(*conf));
}

std::string key_file_of(const SiteWords& site) {
  return io::key_file_path(std::nullopt, site.key_file, is_word(site.key_file) ? "" : home_directory());
}

}  // namespace

Result<SiteWords> read_site(const std::string& conf_dir) {
  SiteWords words{variable("ROLLCALL_KEY_FILE"), variable("ROLLCALL_TASK_CGROUPS"),
                  variable("ROLLCALL_RELAY").value_or("")};
  if (is_word(words.key_file) && words.task_cgroups) return words;
  const auto conf = read_lsf_conf(conf_dir);
  if (!conf && !is_word(words.key_file)) return conf.error();
  if (!conf || !*conf) return words;
  if (!is_word(words.key_file)) words.key_file = (*conf)->value("ROLLCALL_KEY_FILE");
  if (!words.task_cgroups) words.task_cgroups = (*conf)->value("ROLLCALL_TASK_CGROUPS");
  return words;
}

Result<io::Key> find_key(const Result<SiteWords>& site) {
  if (!site) return site.error();
  return io::load_key(key_file_of(*site));
}

std::string key_file_told(const std::string& conf_dir) {
  const auto site = read_site(conf_dir);
  return site ? key_file_of(*site) : "no file";
}

bool job_cgroups_wanted(const Result<SiteWords>& site) {
  return !site || (site->task_cgroups != "N" && site->task_cgroups != "n");
}

}  // namespace rollcall::taskstarter
