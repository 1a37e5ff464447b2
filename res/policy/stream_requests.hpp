// StreamRequests: the requests of a stream's client (ToStream of common/wire/stream.proto) that are still to be carried out. A
// value of bounded size, whatever the client sends; pure. The shepherd's Stream owns one and carries the requests out.
//
//   Begin        once: begin(), wanted(); a second one is ignored
//   Input        kept up to twice the credit that was given; what does not fit is dropped
//   InputOver    after all input
//   signal       1 to 64, at most 64 of them wait
//   Window       the last one counts
//   credit       bytes of output that the client takes; adds up, with that of Begin
//   Gone         the client behind a master is gone: gone()
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/wire/stream.pb.h"

namespace rollcall::res {

inline constexpr std::uint64_t kInputCredit = 64 << 10;  // bytes of input that a client may send ahead

class StreamRequests {
 public:
  void take(const wire::ToStream& message);

  bool begun() const { return begun_; }
  const wire::ToStream::Begin& begin() const { return begin_; }
  bool take_wanted() { return std::exchange(wanted_, false); }  // true once after Begin
  bool gone() const { return gone_; }
  std::optional<int> take_signal();
  std::optional<wire::ToStream::Window> take_window() { return std::exchange(window_, std::nullopt); }

  // Bytes for the process that have not been written yet.
  const std::string& input() const { return input_; }
  void input_written(std::size_t bytes) { input_.erase(0, bytes); }
  void drop_input() { input_.clear(); }
  // True once, when the client has ended its input and all of it was written.
  bool take_input_end() { return input_.empty() && std::exchange(input_over_, false); }

  std::uint64_t credit() const { return credit_; }
  void output_sent(std::uint64_t bytes) { credit_ -= bytes; }  // at most credit()

 private:
  void add_credit(std::uint64_t bytes);

  bool begun_ = false, wanted_ = false, input_over_ = false, gone_ = false;
  wire::ToStream::Begin begin_;
  std::string input_;
  std::vector<int> signals_;
  std::optional<wire::ToStream::Window> window_;
  std::uint64_t credit_ = 0;
};

}  // namespace rollcall::res
