// Any bytes as LSB_HOSTS, LSB_MCPU_HOSTS or a host file: a list of good names that prints and reads back, or
// one line.
#include <cstdint>
#include <string_view>

#include "common/base/host_list.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using rollcall::fuzz::require;

namespace {

void check(const Result<HostList>& list) {
  if (!list) {
    require(!list.error().text.empty() && list.error().text.find('\n') == std::string::npos);
    return;
  }
  for (const HostSlots& host : list->hosts()) require(host_name(host.name) && host.slots > 0);
  require(HostList::from_lsb_mcpu_hosts(list->lsb_mcpu_hosts_text()).value() == *list);
  if (list->slots() < 10'000) require(HostList::from_lsb_hosts(list->lsb_hosts_text()).value() == *list);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  check(HostList::from_lsb_hosts(text));
  check(HostList::from_lsb_mcpu_hosts(text));
  check(HostList::from_hostfile(text, "hostfile"));
  return 0;
}
