// PamDial: connects to one of a pam's addresses: the first that answers. Its owner checks that it is pam. It never blocks: its owner
// polls for it.
//
// Numbers only: a relay asks no name service. An address that has not answered for a quarter of a second is not given up
// while the next is tried; after four seconds all are.
#pragma once

#include <poll.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/io/descriptor.hpp"
#include "common/wire/relay.hpp"

namespace rollcall::io {

class PamDial {
 public:
  PamDial(const wire::PamPlace& place, TimePoint now);

  void add_to(std::vector<pollfd>& fds);
  // The connection, once; it has been sent kRelayHello.
  std::optional<Descriptor> turn(const std::vector<pollfd>& fds, TimePoint now);
  bool failed() const { return attempts_.empty() && next_ == numbers_.size(); }
  TimePoint next_deadline() const;

 private:
  static constexpr std::size_t kNotPolled = SIZE_MAX;
  struct Attempt {
    Descriptor socket;
    std::size_t slot;  // in what is polled
  };
  void begin(TimePoint now);

  std::vector<std::string> numbers_;
  std::uint16_t port_;
  std::size_t next_ = 0;
  std::vector<Attempt> attempts_;
  TimePoint next_at_, give_up_at_;
};

}  // namespace rollcall::io
