// Fuzzes the messages: what was parsed and written again reads the same, whatever came.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "common/wire/task.pb.h"

namespace {

template <class Message>
void round_trip(const std::uint8_t* data, int size) {
  Message first, second;
  if (!first.ParseFromArray(data, size)) return;
  const std::string once = first.SerializeAsString();
  if (!second.ParseFromString(once) || second.SerializeAsString() != once) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rollcall::wire;
  const int bytes = static_cast<int>(size);
  round_trip<Hello>(data, bytes);
  round_trip<Challenge>(data, bytes);
  round_trip<Proof>(data, bytes);
  round_trip<FromStarter>(data, bytes);
  round_trip<FromPam>(data, bytes);
  return 0;
}
