#include "common/io/config_source.hpp"

#include <time.h>

#include <cstdlib>
#include <filesystem>

#include "common/base/zone_table.hpp"
#include "common/io/read_file.hpp"

namespace rollcall::io {
namespace {

namespace fs = std::filesystem;

// Larger than any file that a person writes.
constexpr std::uintmax_t kLargestFile = 64U << 20U;

struct Abbreviation {
  const char* name;
  int minutes;  // east of UTC
};
// Abbreviations that the system's tables lack. Of several meanings the one of RFC 5322 is taken.
constexpr Abbreviation kAbbreviations[] = {
    {"UTC", 0},    {"GMT", 0},    {"Z", 0},      {"WET", 0},    {"WEST", 60},  {"BST", 60},    {"CET", 60},
    {"CEST", 120}, {"EET", 120},  {"EEST", 180}, {"MSK", 180},  {"EST", -300}, {"EDT", -240},  {"CST", -360},
    {"CDT", -300}, {"MST", -420}, {"MDT", -360}, {"PST", -480}, {"PDT", -420}, {"AKST", -540}, {"AKDT", -480},
    {"HST", -600}, {"JST", 540},  {"KST", 540},  {"AEST", 600}, {"AEDT", 660}, {"NZST", 720},  {"NZDT", 780}};

conf::LocalTime of(const tm& broken) { return {broken.tm_wday, broken.tm_hour * 60 + broken.tm_min}; }

conf::LocalTime site_time() {
  const time_t now = time(nullptr);
  tm broken{};
  localtime_r(&now, &broken);
  return of(broken);
}

conf::LocalTime distant_time(std::int64_t seconds) {
  const time_t there = time(nullptr) + seconds;
  tm broken{};
  gmtime_r(&there, &broken);
  return of(broken);
}

// Not by the C library, which needs the zone in TZ: a daemon reads its configuration again while its threads ask name servers,
// and those read the environment.
std::optional<conf::LocalTime> time_in_table(const std::string& zone) {
  if (zone.front() == '/' || zone.find("..") != std::string::npos) return std::nullopt;
  const auto table = read_regular_file("/usr/share/zoneinfo/" + zone);
  const auto offset = table ? offset_in_zone(*table, time(nullptr)) : std::nullopt;
  return offset ? std::optional(distant_time(*offset)) : std::nullopt;
}

std::string default_env_dir() {
  const char* named = std::getenv("LSF_ENVDIR");
  std::error_code error;
  if (named && *named) return fs::absolute(named, error).string();
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path beside = program.parent_path().parent_path() / "conf";
  if (!error && fs::is_regular_file(beside / "lsf.conf", error)) return beside.string();
  return "/etc";
}

}  // namespace

Result<std::string> read_config_file(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error) return configuration_error(path + ": " + error.message());
  if (!fs::is_regular_file(status)) return configuration_error(path + ": not a regular file");
  if (fs::file_size(path, error) > kLargestFile || error)
    return configuration_error(path + ": " + (error ? error.message() : "larger than 64 MiB"));
  auto text = read_file(path);
  if (!text) return configuration_error(path + ": " + text.error().message());
  return std::move(*text);
}

std::optional<conf::LocalTime> local_time_in(const std::string& zone) {
  if (zone.empty()) return site_time();
  for (const Abbreviation& known : kAbbreviations)
    if (zone == known.name) return distant_time(known.minutes * 60);
  return time_in_table(zone);
}

conf::FileSources file_sources_of(const std::string& env_dir) {
  return {.read = read_config_file, .time = local_time_in, .env_dir = env_dir};
}

conf::FileSources real_file_sources() {
  conf::FileSources sources = file_sources_of(default_env_dir());
  const char* named = std::getenv("LSF_ENVDIR");
  const std::string hint =
      named && *named
          ? std::string("; LSF_ENVDIR is ") + named
          : "; LSF_ENVDIR is not set: set it to the directory of lsf.conf, or read the profile.lsf "
            "(cshrc.lsf) there";
  sources.read = [path_of_conf = sources.env_dir + "/lsf.conf", hint](const std::string& path) {
    auto text = read_config_file(path);
    return text || path != path_of_conf ? text : configuration_error(text.error().text + hint);
  };
  return sources;
}

}  // namespace rollcall::io
