// Clients: the connections of the b* commands: identifies each client, puts its request together from its parts, sends the reply.
//
// Owns what each client has proved: that it holds the cluster's key, or by MUNGE which user it is. It believes nothing that a
// message says of its sender, and answers no client that has proved nothing. The connections of one user, and the bytes of that
// user's unfinished requests, are limited. It does not know what requests mean (requests.hpp). An identified client that asks for
// a ticket (ticket_issuer.hpp) gets it with the first reply; a client that presents a ticket has the rights that its holder has
// now.
//
// state x message  | munge                | part               | request, last_part
//   unknown        | asks MUNGE; nothing  | offence            | refused; to be tried again where MUNGE
//                  | is read meanwhile    |                    | could not be asked for overload
//   identified     | offence              | kept, up to 4 MiB  | the first one beyond the user's share: refused, closed;
//                  |                      | and the user's     | else handed on if it keeps its bounds
//                  |                      | share; else the    | (request_bounds.hpp); nothing is read until it is answered
//                  |                      | rest is ignored    |
//   too much kept  | offence              | ignored            | refused, closed
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/base/user_shares.hpp"
#include "common/io/links.hpp"
#include "common/io/log.hpp"
#include "common/io/munge_asker.hpp"
#include "common/io/side_thread.hpp"
#include "common/wire/batch.pb.h"
#include "common/wire/request_parts.hpp"
#include "sched/mbatchd/configuration.hpp"
#include "sched/mbatchd/ticket_issuer.hpp"
#include "sched/mbatchd/user_groups.hpp"
#include "sched/policy/answers/answer_part.hpp"
#include "sched/policy/values/events_and_effects.hpp"

namespace rollcall::mbatchd {

class Clients {
 public:
  struct Handler {
    std::function<void(io::LinkId, const sched::Identity&, const wire::BatchRequest&)> request;
  };
  Clients(boost::asio::io_context& loop, io::Links& links, TicketIssuer& tickets, const io::Log& log,
          Handler handler);

  void configure(std::shared_ptr<const Configuration> configuration);

  void opened(io::LinkId link, const io::LinkPeer& peer);
  bool has(io::LinkId link) const { return clients_.count(link) != 0; }
  // The user of this link; nullptr after it has closed.
  const sched::Identity* identity(io::LinkId link) const;
  Result<void> message(io::LinkId link, const wire::ToMbatchd& message);
  void ended(io::LinkId link);

  // Sends a reply of one part: the last one, or one of several (AwaitJob).
  void reply(io::LinkId link, const wire::BatchReply& reply);
  // Sends a reply part by part, as the client reads; the part with `last` ends it.
  using Parts = std::function<sched::answers::AnswerPart()>;
  void answer(io::LinkId link, Parts parts);

 private:
  struct Client {
    std::string hash, address, holder;
    std::optional<sched::Identity> who;
    std::optional<wire::BatchReply> refused;      // the answer to its request, whatever that will be
    std::optional<sched::TicketHolder> may_have;  // a ticket for it
    bool wants_ticket = false;
    bool has_share = false;  // of its user's
    wire::RequestParts parts;
  };
  bool take_share(io::LinkId link);
  void take_part(Client& client, const std::string& part);
  void drop_parts(Client& client);
  Result<void> last_part(io::LinkId link, Client& client, const std::string& part);
  void refuse(io::LinkId link, const wire::BatchReply& reply);
  Result<void> ask_munge(io::LinkId link, Client& client, const std::string& credential);
  Result<void> request(io::LinkId link, Client& client, const wire::BatchRequest& request);
  sched::Identity identity_of(const io::KnownUser& user) const;
  void known(Client& client, const io::KnownUser& user, bool by_key) const;
  void known_by_ticket(Client& client, const io::TicketId& ticket) const;
  std::string payload_for(io::LinkId link, sched::answers::AnswerPart part);

  io::Links& links_;
  TicketIssuer& tickets_;
  const io::Log& log_;
  Handler handler_;
  std::shared_ptr<const Configuration> configuration_;
  std::shared_ptr<UserGroups> groups_;
  io::MungeAsker munge_;
  io::SideThread aside_;   // for what configure() wants to know
  io::KnownUser owner_;    // who runs mbatchd
  UserShares shares_;      // connections
  UserShares unfinished_;  // bytes of requests that are not whole yet
  std::unordered_map<io::LinkId, Client> clients_;
};

wire::BatchReply refusal(wire::BatchReply::Refusal::Why why, std::string text);

}  // namespace rollcall::mbatchd
