// TicketFile: where a user's commands keep a daemon's ticket. It is a secret for some minutes, and optional: if the file or its
// place is not usable, there is no ticket and no message.
//
// It is in the first usable one of these directories: XDG_RUNTIME_DIR/rollcall, HOME/.rollcall (made if missing). The directory
// belongs to the user, is closed to others, and is no symbolic link; the file is a regular one with one name, with the same owner
// and rights. Its name has the daemon's host and port, the client's host (a home may be on many), and the beginning of the
// cluster's public key, so that a ticket is never sent to another cluster with the same host and port.
//
// A home may be on a file server that hangs. Unless it is on a local disk, the file is read and written in a thread, and the
// caller waits half a second at most (docs/decisions/0050).
//
//   file = 96 hexadecimal digits, newline       id and secret
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/io/cluster_key.hpp"
#include "common/io/ticket.hpp"

namespace rollcall::io {

class TicketFile {
 public:
  TicketFile(const std::string& daemon_host, int port, const std::string& here,
             const ClusterPublicKey& cluster);

  std::optional<Ticket> read() const;
  // Writes it whole or not at all, replacing an older one.
  void write(const Ticket& ticket) const;

 private:
  std::string name_;                 // "": no usable file
  mutable bool home_hangs_ = false;  // found by read(); then nothing is written there
};

// Parses a file's text. Pure.
std::optional<Ticket> parse_ticket_file(std::string_view text);
std::string print_ticket_file(const Ticket& ticket);

}  // namespace rollcall::io
