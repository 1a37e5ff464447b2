// DescriptorWatch: the loop calls back once when a descriptor can be read or written.
//
// It does not own the descriptor, and must be destroyed or replaced before the descriptor is closed. A read does not end the
// watch; the owner asks again after each call.
#pragma once

#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace rollcall::melim {

class DescriptorWatch {
 public:
  DescriptorWatch() = default;
  // Throws boost::system::system_error where the kernel cannot watch `fd`.
  DescriptorWatch(boost::asio::io_context& loop, int fd);
  ~DescriptorWatch();
  DescriptorWatch(DescriptorWatch&&) noexcept = default;
  DescriptorWatch& operator=(DescriptorWatch&& other) noexcept;

  explicit operator bool() const { return state_ != nullptr; }
  // `ready` is called once, from the loop; not if this watch is destroyed before. Ignored while an earlier call waits.
  void await_read(std::function<void()> ready);
  void await_write(std::function<void()> ready);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rollcall::melim
