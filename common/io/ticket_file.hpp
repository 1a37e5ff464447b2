// TicketFile: where a user's commands keep the ticket that a daemon gave them. A secret of the user for some minutes, and never
// needed: whatever is wrong with the file, or with its place, there is no ticket, and nobody is told.
//
// It is in the first of these directories that will do: XDG_RUNTIME_DIR/rollcall, HOME/.rollcall (made where it is missing).
// The directory is the user's own and closed to everyone else, no symbolic link; the file is a regular one with one name, the
// user's, closed to everyone else too. Its name has the daemon's host and port, the client's host (a home may be on many), and the beginning of the
// cluster's public key: a ticket of one cluster is never sent to another that has the same host and port.
//
// A home may be on a file server that hangs. Unless it is on a disk of this host, the file is read and written in a thread that is
// waited for no longer than half a second (docs/decisions/0050).
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
  // Whole or not at all, in place of an older one.
  void write(const Ticket& ticket) const;

 private:
  std::string name_;                 // "": there is no such file
  mutable bool home_hangs_ = false;  // found by read(): nothing is written there then
};

// What a file says. Pure.
std::optional<Ticket> parse_ticket_file(std::string_view text);
std::string print_ticket_file(const Ticket& ticket);

}  // namespace rollcall::io
