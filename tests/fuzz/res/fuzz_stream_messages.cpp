// stream.proto from both ends: whatever a client says, a shepherd keeps little of it and signals nothing but signals;
// whatever a shepherd says, the client's exit status is one.
//
//   input = records (records.hpp)     kind % 4: 0 and 1: a ToStream; 2: a FromStream; 3: the shepherd has written input
//                                     and sent output (bytes: how much)
#include <algorithm>
#include <utility>

#include "common/io/stream_client.hpp"
#include "res/policy/stream_requests.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/records.hpp"

using namespace rollcall;
using rollcall::fuzz::require;

namespace {

class Shepherd {
 public:
  void hear(const wire::ToStream& message) {
    const std::uint64_t credit = asked_.credit();
    const bool begun = asked_.begun();
    asked_.take(message);
    require(asked_.input().size() <= 2 * res::kInputCredit);
    require(!begun || asked_.begun());
    require(asked_.credit() >= credit);
    if (asked_.take_wanted()) require(!std::exchange(started_, true));
    (void)asked_.take_window();
  }
  void work(std::size_t input, std::uint64_t output) {
    asked_.input_written(std::min(input, asked_.input().size()));
    asked_.output_sent(std::min(output, asked_.credit()));
    for (int i = 0; i < 8; ++i)
      if (const auto signo = asked_.take_signal()) require(*signo > 0 && *signo <= 64);
    if (asked_.take_input_end()) require(asked_.input().empty());
  }

 private:
  res::StreamRequests asked_;
  bool started_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Shepherd shepherd;
  fuzz::each_record(data, size, [&](unsigned kind, std::string_view bytes) {
    wire::ToStream asked;
    wire::FromStream told;
    switch (kind % 4) {
      case 0:
      case 1:
        if (fuzz::parse(asked, bytes)) shepherd.hear(asked);
        return;
      case 2:
        if (!fuzz::parse(told, bytes)) return;
        if (const auto end = io::end_of(told)) {
          const int code = io::exit_code_of(*end);
          require(code >= 0 && code <= 255);
          require(end->how != io::StreamEnd::How::not_started || code != 0);
        }
        return;
      default:
        shepherd.work(fuzz::byte(bytes, 0) * 256U, fuzz::byte(bytes, 1) * 256U);
    }
  });
  return 0;
}
