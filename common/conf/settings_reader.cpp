#include "common/conf/settings_reader.hpp"

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/row_reader.hpp"

namespace rollcall::conf {
namespace {

std::string found_text(const Setting& setting, std::string_view name, std::string_view expected) {
  return std::string(name) + ": found " + printable(setting.value) + ", expected " + std::string(expected);
}

}  // namespace

int SettingsReader::port(std::string_view name, int otherwise) {
  const Setting* setting = find(name);
  if (!setting) return otherwise;
  const auto number = parse_whole(setting->value, 1, 65535);
  if (!number) fatal(*setting, name, "a port from 1 to 65535");
  return number.value_or(otherwise);
}

std::string SettingsReader::directory(std::string_view name, const std::string& otherwise) {
  const Setting* setting = find(name);
  if (!setting) return otherwise;
  if (setting->value.starts_with('/')) return setting->value;
  fatal(*setting, name, "an absolute path");
  return otherwise;
}

std::optional<bool> SettingsReader::yes_no(std::string_view name) {
  const Setting* setting = find(name);
  if (!setting) return std::nullopt;
  const auto value = parse_yes_no(setting->value);
  if (!value) error(*setting, name, "Y or N");
  return value;
}

bool SettingsReader::yes_no(std::string_view name, bool otherwise) {
  return yes_no(name).value_or(otherwise);
}

int SettingsReader::number(std::string_view name, int least, int most, int otherwise, std::string_view what) {
  const Setting* setting = find(name);
  if (!setting) return otherwise;
  const auto value = parse_whole(setting->value, least, most);
  if (!value)
    error(*setting, name,
          "a number of " + std::string(what) + " from " + std::to_string(least) + " to " +
              std::to_string(most));
  return static_cast<int>(value.value_or(otherwise));
}

void SettingsReader::error(const Setting& setting, std::string_view name, std::string_view expected) {
  problems_.error(setting_place(setting), found_text(setting, name, expected));
}

void SettingsReader::warning(const Setting& setting, const std::string& text) {
  problems_.warning(setting_place(setting), text);
}

void SettingsReader::fatal(const Setting& setting, std::string_view name, std::string_view expected) {
  problems_.fatal(setting_place(setting), found_text(setting, name, expected));
}

}  // namespace rollcall::conf
