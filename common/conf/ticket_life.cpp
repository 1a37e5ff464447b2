#include "common/conf/ticket_life.hpp"

#include "common/base/numbers.hpp"

namespace rollcall::conf {
namespace {

#ifdef ROLLCALL_TICKETS
constexpr std::chrono::seconds kUsualTicketLife = kLongestTicketLife;
#else
constexpr std::chrono::seconds kUsualTicketLife{0};
#endif

}  // namespace

Result<std::chrono::seconds> ticket_life(const LsfConf& lsf_conf) {
  const std::string life = lsf_conf.value("ROLLCALL_TICKET_LIFE");
  if (life.empty()) return kUsualTicketLife;
  const int longest = static_cast<int>(kLongestTicketLife.count());
  if (const auto seconds = parse_whole(life, 0, longest)) return std::chrono::seconds(*seconds);
  return configuration_error("lsf.conf: ROLLCALL_TICKET_LIFE: found " + life + ", expected 0 to " +
                             std::to_string(longest) + " seconds");
}

}  // namespace rollcall::conf
