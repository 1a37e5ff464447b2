#include "common/io/sealed_conversation.hpp"

namespace rollcall::io {

Result<void> SealedConversation::feed(std::string_view bytes, const std::function<std::size_t()>& limit,
                                      const Taker& handshake, const Taker& sink) {
  if (failed()) return internal_error("this conversation has already failed");
  auto fed = decoder_.feed(bytes, limit, [&](std::string_view frame) -> Result<void> {
    if (!open()) return handshake(frame);
    const auto payload = receiving_.open(frame);
    if (!payload) return payload.error();
    return sink(*payload);
  });
  if (!fed) fail();
  return fed;
}

void SealedConversation::fail() {
  state_ = State::failed;
  sending_.wipe();
  receiving_.wipe();
  decoder_ = {};
}

}  // namespace rollcall::io
