// LimLink: MELIM's end of the socketpair that LIM started it with, descriptor 3: frames in clear, orders in, reports out.
//
// It keeps one unfinished frame in and one report out: while LIM does not read, no report is added, and the values wait in
// ElimMerge, where newer ones replace older ones.
#pragma once

#include <functional>
#include <string>

#include "common/io/descriptor.hpp"
#include "common/wire/load.pb.h"
#include "common/wire/message_reader.hpp"

namespace rollcall::melim {

class LimLink {
 public:
  explicit LimLink(io::Descriptor socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.get(); }
  bool wants_to_write() const { return !out_.empty(); }

  // Takes all messages that have come; false: LIM is gone, or sent an invalid message.
  bool receive(const std::function<void(const wire::ToMelim&)>& sink);
  void send(const wire::FromMelim& message);
  // False: LIM is gone.
  bool flush();

 private:
  io::Descriptor socket_;
  wire::MessageReader<wire::ToMelim> reader_;
  std::string out_;
};

}  // namespace rollcall::melim
