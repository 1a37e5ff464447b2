// ClientRequests: puts the request of one client of RES together from its messages. A value for each connection; pure.
//
// res_rights.hpp decides what the client may do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/wire/request_parts.hpp"
#include "common/wire/res.pb.h"

namespace rollcall::res {

class ClientRequests {
 public:
  // Takes one message. Gives a whole request; none: its further parts follow. Errors (an unreadable message, a request
  // that is too large, parts before the client has proved who it is) end the connection.
  Result<std::optional<wire::ToResFromClient>> take(std::string_view payload, bool known);
  // Bytes of a request that is not whole yet.
  std::size_t unfinished() const { return parts_.bytes(); }
  void drop() { parts_.clear(); }

 private:
  wire::RequestParts parts_;  // of a task that is larger than a frame of this client
};

// Why RES refuses to pass this task on to a shepherd, one line; none: it passes it on.
std::optional<std::string> objection_to(const wire::RunTask& task);

}  // namespace rollcall::res
