// Any bytes as lsf.conf: read, or broken lines named; what was read is printed so that it reads back the
// same.
#include <cstdint>
#include <string>
#include <string_view>

#include "common/conf/lsf_conf.hpp"
#include "pam/policy/pam_config.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using rollcall::fuzz::require;

namespace {

bool one_line(const Error& error) {
  return error.text.starts_with("lsf.conf:") && error.text.find('\n') == std::string::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto conf = conf::LsfConf::parse({reinterpret_cast<const char*>(data), size}, "lsf.conf");
  if (!conf) {
    require(one_line(conf.error()));
    return 0;
  }
  const auto again = conf::LsfConf::parse(conf->text(), "again");
  require(again.has_value() && again->settings().size() == conf->settings().size());
  for (const auto& [name, setting] : conf->settings()) require(again->value(name) == setting.value);
  const auto config = pam::pam_config(*conf, {});
  require(config.has_value() || one_line(config.error()));
  return 0;
}
