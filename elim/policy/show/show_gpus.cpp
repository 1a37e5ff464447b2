#include "elim/policy/show/show_gpus.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "common/base/load_vector.hpp"
#include "common/base/table_cells.hpp"

namespace rollcall::elim::show {
namespace {

constexpr double kMostDevices = 1024;  // of one host

// What one host says of a resource: its static value, else what its elims report; "" where it is not known.
class HostWords {
 public:
  HostWords(const wire::Facts& facts, const Loads& loads) : facts_(facts), loads_(loads) {
    const auto& hosts = loads.hosts();
    const auto found = std::find_if(hosts.begin(), hosts.end(), [&](const wire::Reply::Load& load) {
      return load.host() == facts.name();
    });
    if (found != hosts.end()) load_ = &*found;
  }

  std::string operator()(const std::string& name) const {
    const auto fixed = facts_.values().find(name);
    if (fixed != facts_.values().end()) return fixed->second;
    const auto& names = loads_.names();
    const auto place = static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
    if (load_ == nullptr || place == names.size()) return "";
    for (const auto& word : load_->words())
      if (static_cast<int>(word.index()) == place) return word.value();
    if (place >= load_->values_size() || !known_load(load_->values(place))) return "";
    char text[64];
    std::snprintf(text, sizeof text, "%.1f", static_cast<double>(load_->values(place)));
    return text;
  }

 private:
  const wire::Facts& facts_;
  const Loads& loads_;
  const wire::Reply::Load* load_ = nullptr;
};

int devices_of(const HostWords& words) {
  for (const char* name : {"ngpus_physical", "ngpus", "hw_gpus"}) {
    const std::string count = words(name);
    if (count.empty()) continue;
    const double number = std::strtod(count.c_str(), nullptr);
    return number >= 0 ? static_cast<int>(std::min(number, kMostDevices)) : 0;
  }
  return 0;
}

std::string known(const std::string& word) { return word.empty() ? "-" : word; }

std::string device_row(const std::string& host, int device, const HostWords& words, bool wide) {
  const std::string own = words("gpu_model" + std::to_string(device));
  const std::string model = known(own.empty() ? words("gpu_model") : own);
  return left(wide ? host : host.substr(0, 11), 11) + right(std::to_string(device), 7) + " " +
         right(wide ? model : model.substr(0, 15), 15) + " " + right(known(words("gpu_driver")), 12) +
         right(known(words("gpu_maxfactor")), 13) + right("-", 13) + "\n";
}

}  // namespace

std::string hosts_gpus(const Hosts& hosts, const Loads& loads, bool wide) {
  std::string text;
  for (const auto& host : hosts.hosts()) {
    const HostWords words(host, loads);
    std::string name = host.name();
    for (int device = 0, count = devices_of(words); device < count; ++device) {
      text += device_row(name, device, words, wide);
      name.clear();
    }
  }
  if (text.empty()) return "";
  return "HOST_NAME   gpu_id       gpu_model   gpu_driver   gpu_factor      numa_id\n" + text;
}

}  // namespace rollcall::elim::show
