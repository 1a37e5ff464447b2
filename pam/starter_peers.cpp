#include "pam/starter_peers.hpp"

namespace rollcall::pam {
namespace {

const std::string& shepherds_hello() {
  static const std::string hello = [] {
    std::string frame;
    wire::append_frame(frame, wire::kChannelsHello);
    return frame;
  }();
  return hello;
}

}  // namespace

std::size_t shepherds_hello_size() { return shepherds_hello().size(); }

First first_of(const std::string& bytes) {
  constexpr std::size_t kLengthBytes = 4;
  const std::string& hello = shepherds_hello();
  if (bytes.size() < kLengthBytes) return First::unfinished;
  if (bytes.compare(0, kLengthBytes, hello, 0, kLengthBytes) != 0) return First::starter;
  if (bytes.compare(0, hello.size(), hello, 0, bytes.size()) != 0) return First::stranger;
  return bytes.size() < hello.size() ? First::unfinished : First::shepherd;
}

}  // namespace rollcall::pam
