// HostRelay: the relay of the TaskStarters that one pam has on this host, where no shepherd is one (common/io/task_relay.hpp).
//
// pam draws a name. The first TaskStarter takes it, and dials pam itself: a host with one task has no relay. When a second one
// knocks, the first starts the relay, a process of its own that ends with the last conversation. A name that another user took is
// no way: the TaskStarters dial, as they do when the relay ends. docs/decisions/0105.
#pragma once

#include <span>
#include <string>

#include "common/io/descriptor.hpp"

namespace rollcall::taskstarter {

class HostRelay {
 public:
  // `name`: as pam drew it; "" : there is none, and nothing is done.
  static HostRelay claim(const std::string& name);

  // Where a TaskStarter that did not get the name finds the relay; "" : nowhere, it dials.
  const std::string& place() const { return place_; }
  // Polled for reading by who got the name; -1: nobody is to be waited for.
  int fd() const { return listener_ ? listener_.get() : -1; }
  // Somebody knocks: starts the relay. Its process takes over what listens.
  void start(std::span<char* const> words);
  // The process that forked from who got the name gives it up.
  void give_up() { listener_ = {}; }

 private:
  std::string place_;
  io::Descriptor listener_;
};

}  // namespace rollcall::taskstarter
