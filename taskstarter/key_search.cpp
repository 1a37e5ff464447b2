#include "taskstarter/key_search.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "common/conf/lsf_conf.hpp"
#include "common/conf/task_settings.hpp"
#include "common/io/key_file.hpp"
#include "common/io/name_lookup.hpp"
#include "common/io/read_file.hpp"
#include "common/io/relay_directory.hpp"
#include "common/wire/relay.hpp"

namespace rollcall::taskstarter {
namespace {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

bool is_word(const std::optional<std::string>& text) { return text && !text->empty(); }

// None: there is no lsf.conf.
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

std::string in_home(const std::string& home) { return io::key_file_path(std::nullopt, std::nullopt, home); }

bool readable(const std::string& file) { return access(file.c_str(), R_OK) == 0; }

struct KeyFiles {
  std::vector<std::string> files;  // up to the first that can be read
  bool home_unknown = false;       // the name services were asked for the home directory, and told none
};

// The home directory comes last, since finding it may ask a directory service.
KeyFiles key_files_of(const SiteWords& site) {
  KeyFiles found;
  const auto add = [&files = found.files](const std::string& file) {
    if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
    return readable(file);
  };
  for (const std::string& file : site.key_files)
    if (add(file)) return found;
  if (!site.homes) return found;
  if (const auto home = variable("HOME"); is_word(home) && add(in_home(*home))) return found;
  const std::string directory = io::look_up_home(geteuid());
  found.home_unknown = directory.empty();
  if (!found.home_unknown) add(in_home(directory));
  return found;
}

std::string key_file_of(const SiteWords& site) {
  const auto files = key_files_of(site).files;
  if (files.empty()) return "no file";
  return readable(files.back()) ? files.back() : files.front();
}

}  // namespace

Result<SiteWords> read_site(const Options& options) {
  SiteWords words{.task_cgroups = variable("ROLLCALL_TASK_CGROUPS"),
                  .relay = variable("ROLLCALL_RELAY").value_or("")};
  // The job has a key of its own, in another place on each host.
  if (wire::is_span_relay(words.relay)) {
    const auto file = io::span_key_file(words.relay);
    if (!file) return file.error();
    words.key_files = {*file};
    if (words.task_cgroups) return words;
  }
  const auto named = variable("ROLLCALL_KEY_FILE");
  const bool has_key = !words.key_files.empty();
  if (is_word(named) && !has_key) words.key_files = {*named};
  if (is_word(named) && words.task_cgroups) return words;
  const auto conf = read_lsf_conf(options.conf_dir);
  if (!conf && !is_word(named) && !has_key) return conf.error();
  const auto of_site = conf && *conf ? conf::read_task_settings(**conf) : conf::TaskSettings{};
  if (!words.task_cgroups) words.task_cgroups = of_site.cgroups.value_or("");
  if (is_word(named) || has_key) return words;
  if (!options.key_file.empty()) words.key_files.push_back(options.key_file);
  if (!of_site.key_file.empty()) words.key_files.push_back(of_site.key_file);
  words.homes = of_site.key_file.empty();
  return words;
}

Result<io::Key> find_key(const Result<SiteWords>& site) {
  if (!site) return site.error();
  const auto [files, home_unknown] = key_files_of(*site);
  const std::string unknown =
      home_unknown ? "the name services tell no home directory of user " + std::to_string(geteuid()) : "";
  if (files.empty()) return configuration_error("no key file is named, HOME is not set, and " + unknown);
  if (readable(files.back())) return io::load_key(files.back());
  auto key = io::load_key(files.front());
  if (key) return key;
  std::string others;
  for (auto file = files.begin() + 1; file != files.end(); ++file) others += ", nor " + *file;
  if (home_unknown) others += "; " + unknown;
  return Error{key.error().kind, key.error().text + others};
}

std::string key_file_told(const Options& options) {
  const auto site = read_site(options);
  return site ? key_file_of(*site) : "no file";
}

bool job_cgroups_wanted(const Result<SiteWords>& site) {
  return !site || conf::task_cgroups(site->task_cgroups);
}

}  // namespace rollcall::taskstarter
