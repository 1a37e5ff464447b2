// Any bytes as the answer of a RES to blaunch, lsrun, bpeek or lsadmin: an answer, or an error that ends the command.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "common/io/res_client.hpp"

using namespace rollcall;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto answer = io::res_answer_of("hostA", {reinterpret_cast<const char*>(data), size});
  if (answer) {
    if (answer->has_refused()) std::abort();
    return 0;
  }
  // A refusal has RES's own words; everything else names the host.
  if (answer.error().kind != io::ResError::Kind::refused &&
      answer.error().text.find("hostA") == std::string::npos)
    std::abort();
  return 0;
}
