// Packed: a protobuf message as its bytes, in one block of the heap. A value that is moved.
//
// An object of a message with many fields costs hundreds of bytes before it says anything, and an allocation for each text. What
// mbatchd keeps of many jobs and seldom looks at is kept like this. Owned by whoever holds it; it knows no schema.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

namespace rollcall::sched {

template <class Message>
class Packed {
 public:
  bool empty() const { return block_ == nullptr; }

  void pack(const Message& message) {
    const auto size = static_cast<std::uint32_t>(message.ByteSizeLong());
    block_.reset(new char[sizeof size + size]);
    std::memcpy(block_.get(), &size, sizeof size);
    message.SerializeToArray(block_.get() + sizeof size, static_cast<int>(size));
  }
  // Not of an empty one: bytes, and the message.
  std::uint32_t size() const {
    std::uint32_t size = 0;
    std::memcpy(&size, block_.get(), sizeof size);
    return size;
  }
  void unpack(Message& to) const {
    to.ParseFromArray(block_.get() + sizeof(std::uint32_t), static_cast<int>(size()));
  }

 private:
  std::unique_ptr<char[]> block_;
};

}  // namespace rollcall::sched
