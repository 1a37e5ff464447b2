// RequestParts: requests of clients that are larger than a frame: a script, an environment, many submissions at once.
//
// A client that proves its user by MUNGE may send frames of 64 KiB only (ClusterChannel::most()). A larger request goes as `part`
// messages and one `last_part`; their bytes joined are the serialized request. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall::wire {

inline constexpr std::size_t kMostRequest = 4 << 20;  // bytes of one request, all its parts together
inline constexpr std::size_t kMostTask = 900 << 10;   // of a RunTask: a shepherd gets it in one frame
// A limit for all incomplete requests of one user in one daemon, counted with UserShares.
inline constexpr std::size_t kMostUnfinished = 64 << 20;

// A client's incomplete request in a daemon. An error leaves the parts unchanged.
class RequestParts {
 public:
  Result<void> add(std::string_view part) {
    if (bytes_.size() + part.size() > kMostRequest)
      return internal_error("found a request of more than " + std::to_string(kMostRequest) +
                            " bytes, expected a smaller one");
    bytes_ += part;
    return {};
  }
  // All bytes so far; then empty again.
  Result<std::string> finish(std::string_view last) {
    if (const auto added = add(last); !added) return added.error();
    return std::exchange(bytes_, {});
  }
  std::size_t bytes() const { return bytes_.size(); }
  void clear() { std::string().swap(bytes_); }

 private:
  std::string bytes_;
};

// The pieces to send, each at most `most` bytes (1 at the least); one piece where it fits.
inline std::vector<std::string_view> parts_of(std::string_view request, std::size_t most) {
  std::vector<std::string_view> parts;
  do {
    parts.push_back(request.substr(0, most));
    request.remove_prefix(parts.back().size());
  } while (!request.empty());
  return parts;
}

}  // namespace rollcall::wire
