// Packed: a protobuf message as its bytes, in one block of the heap. A value that is moved.
//
// An object of a message with many fields takes hundreds of bytes even when it is empty, and an allocation for each string. mbatchd
// keeps data of many jobs that it seldom looks at in this form.
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
  // size(), in bytes, and unpack() must not be called if empty().
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
