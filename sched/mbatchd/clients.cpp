#include "sched/mbatchd/clients.hpp"

#include <unistd.h>

#include <algorithm>

#include "common/base/numbers.hpp"
#include "common/wire/frame.hpp"
#include "sched/policy/jobs/request_bounds.hpp"

namespace rollcall::mbatchd {
namespace {

using Refusal = wire::BatchReply::Refusal;

constexpr std::size_t kMostReply =
    wire::kFrameLimit - 128;  // sealed, and with a ticket, it must fit into a frame

// Looks the user up as MungeAsker does, and the user's groups too.
io::MungeAsker::LookUp look_up(std::shared_ptr<UserGroups> groups) {
  return [groups = std::move(groups)](const io::MungeAsker::Question& question) -> Result<io::KnownUser> {
    const auto identity = io::munge_decode(question.credential, question.payload, question.socket);
    if (!identity) return identity.error();
    io::KnownUser user{identity->uid, identity->gid, groups->name(identity->uid)};
    if (!user.name.empty()) groups->find(user.name, user.gid);
    return user;
  };
}

}  // namespace

wire::BatchReply refusal(Refusal::Why why, std::string text) {
  wire::BatchReply reply;
  reply.set_last(true);
  reply.mutable_refusal()->set_why(why);
  reply.mutable_refusal()->set_text(std::move(text));
  return reply;
}

Clients::Clients(boost::asio::io_context& loop, io::Links& links, TicketIssuer& tickets, const io::Log& log,
                 Handler handler)
    : links_(links),
      tickets_(tickets),
      log_(log),
      handler_(std::move(handler)),
      groups_(std::make_shared<UserGroups>()),
      munge_(loop, {}, look_up(groups_)),
      aside_(loop, io::SideThread::Limits{1, std::chrono::seconds(2)}),
      owner_{geteuid(), getegid(), groups_->name(geteuid())},
      shares_(conf::MbatchdProgram{}.user_connections),
      unfinished_(wire::kMostUnfinished) {}

void Clients::configure(std::shared_ptr<const Configuration> configuration) {
  configuration_ = std::move(configuration);
  const auto& program = configuration_->files.cluster->programs.mbatchd;
  shares_.set_most(program.user_connections);
  tickets_.set_life(program.ticket_life);
  // Looked up in a side thread: a directory service that hangs must not stop the loop.
  aside_.ask([groups = groups_, owner = owner_] { groups->find(owner.name, owner.gid); },
             [](io::SideThread::End) {});
}

sched::Identity Clients::identity_of(const io::KnownUser& user) const {
  const auto& administrators = configuration_->files.cluster->cluster.administrators;
  sched::Identity who{user.uid, user.gid, user.name, groups_->of(user.name), false};
  who.is_admin = user.uid == 0 || user.uid == geteuid() ||
                 std::find(administrators.begin(), administrators.end(), user.name) != administrators.end();
  return who;
}

void Clients::opened(io::LinkId link, const io::LinkPeer& peer) {
  Client& client = clients_[link];
  client.hash = peer.hash;
  client.address = peer.address;
  client.holder = peer.holder;
  if (peer.caller == io::ClusterChannel::Caller::owner) known(client, owner_, true);
  if (peer.caller == io::ClusterChannel::Caller::ticket) known_by_ticket(client, peer.ticket);
  if (client.who) links_.identified(link, client.who->uid);
}

void Clients::known(Client& client, const io::KnownUser& user, bool by_key) const {
  client.who = identity_of(user);
  client.may_have = sched::TicketHolder{user.uid, user.gid, user.name, by_key, client.address};
}

// A ticket holder gets no further ticket: its identity would never be proved again.
void Clients::known_by_ticket(Client& client, const io::TicketId& ticket) const {
  if (const auto* const holder = tickets_.holder(ticket))
    client.who = identity_of({holder->uid, holder->gid, holder->name});
}

const sched::Identity* Clients::identity(io::LinkId link) const {
  const auto client = clients_.find(link);
  return client == clients_.end() || !client->second.who ? nullptr : &*client->second.who;
}

Result<void> Clients::message(io::LinkId link, const wire::ToMbatchd& message) {
  const auto found = clients_.find(link);
  if (found == clients_.end()) return {};
  Client& client = found->second;
  if (message.ticket()) client.wants_ticket = true;
  if (message.has_munge()) return ask_munge(link, client, message.munge());
  if (message.has_request()) return request(link, client, message.request());
  if (!message.has_part() && !message.has_last_part())
    return internal_error("found a message that is no client's, expected one");
  // Refused after the last part: a client reads no answer before it has sent all parts.
  if (client.refused) {
    if (message.has_last_part()) refuse(link, *client.refused);
    return {};
  }
  if (!client.who)
    return internal_error("oversized request from an unauthenticated client, expected a credential first");
  if (message.has_last_part()) return last_part(link, client, message.last_part());
  take_part(client, message.part());
  return {};
}

void Clients::take_part(Client& client, const std::string& part) {
  const std::uint32_t user = client.who->uid;
  if (!unfinished_.take(user, part.size())) {
    client.refused =
        refusal(Refusal::STARTING,
                "mbatchd holds " + std::to_string(unfinished_.held(user)) +
                    " bytes of requests of yours that have not arrived whole, and each user may have " +
                    std::to_string(unfinished_.most()));
    return drop_parts(client);
  }
  if (const auto added = client.parts.add(part); !added) {
    unfinished_.give(user, part.size());
    client.refused = refusal(Refusal::BAD_REQUEST, added.error().text);
    drop_parts(client);
  }
}

void Clients::drop_parts(Client& client) {
  if (client.who) unfinished_.give(client.who->uid, client.parts.bytes());
  client.parts.clear();
}

Result<void> Clients::last_part(io::LinkId link, Client& client, const std::string& part) {
  take_part(client, part);
  if (client.refused) {
    refuse(link, *client.refused);
    return {};
  }
  unfinished_.give(client.who->uid, client.parts.bytes());
  const auto whole = client.parts.finish("");
  if (!whole) return whole.error();
  if (auto why = sched::jobs::too_many_jobs(*whole)) {
    reply(link, refusal(why->why(), std::move(*why->mutable_text())));
    return {};
  }
  wire::BatchRequest asked;
  if (!asked.ParseFromString(*whole)) return internal_error("found parts of no BatchRequest, expected one");
  return request(link, client, asked);
}

Result<void> Clients::ask_munge(io::LinkId link, Client& client, const std::string& credential) {
  if (client.who) return internal_error("found a credential of somebody who is known, expected none");
  links_.promise(link);
  munge_.ask(
      {credential, client.hash, configuration_->files.cluster->programs.munge_socket, client.holder},
      [this, link](const io::MungeAsker::Answer& user) {
        const auto found = clients_.find(link);
        if (found == clients_.end()) return;
        if (user && !user->name.empty()) {
          known(found->second, *user, false);
          links_.identified(link, user->uid);
        } else {
          // Clients, also those of older versions, retry after STARTING.
          if (!user && user.error().busy)
            found->second.refused = refusal(Refusal::STARTING, "mbatchd: " + user.error().text);
          log_.info("a client at " + found->second.address + ": " +
                    (user ? "uid " + std::to_string(user->uid) + " has no name here" : user.error().text));
        }
        links_.answer(link, [] { return std::nullopt; });  // its request is read now
      });
  return {};
}

void Clients::ended(io::LinkId link) {
  const auto client = clients_.find(link);
  if (client == clients_.end()) return;
  if (client->second.has_share) shares_.give(client->second.who->uid);
  drop_parts(client->second);
  clients_.erase(client);
}

// False where the user has as many connections as allowed: then the client is told so and closed.
bool Clients::take_share(io::LinkId link) {
  Client& client = clients_.at(link);
  if (client.has_share) return true;
  client.has_share = shares_.take(client.who->uid);
  if (client.has_share) return true;
  reply(link,
        refusal(Refusal::STARTING, "you have " + std::to_string(shares_.held(client.who->uid)) +
                                       " connections with mbatchd already, and each user may have " +
                                       std::to_string(shares_.most()) + " (ROLLCALL_MBD_USER_CONNECTIONS)"));
  links_.close_when_sent(link);
  ended(link);
  return false;
}

void Clients::refuse(io::LinkId link, const wire::BatchReply& why) {
  reply(link, why);
  links_.close_when_sent(link);
}

Result<void> Clients::request(io::LinkId link, Client& client, const wire::BatchRequest& request) {
  if (client.refused) {
    refuse(link, *client.refused);
    return {};
  }
  if (!client.who) {
    reply(link, refusal(Refusal::NOT_ALLOWED,
                        "mbatchd cannot authenticate you: munged does not run on your host or on mbatchd's, "
                        "or their munge "
                        "keys differ; only the cluster's owner can do without. Ask your administrator"));
    return {};
  }
  if (!take_share(link)) return {};
  if (auto why = sched::jobs::out_of_bounds(request)) {
    reply(link, refusal(why->why(), std::move(*why->mutable_text())));
    return {};
  }
  const sched::Identity who = *client.who;
  handler_.request(link, who, request);
  return {};
}

// Adds the ticket that the client asked for, once.
std::string Clients::payload_for(io::LinkId link, sched::answers::AnswerPart part) {
  auto& message = part.message();
  if (message.ByteSizeLong() > kMostReply)
    *part = refusal(Refusal::FAILED, "one part of the answer is too large to send");
  const auto client = clients_.find(link);
  if (client == clients_.end() || !client->second.wants_ticket) return message.SerializeAsString();
  client->second.wants_ticket = false;
  if (const auto& holder = client->second.may_have)
    if (const auto ticket = tickets_.give(*holder)) message.set_ticket(ticket->bytes());
  return message.SerializeAsString();
}

void Clients::reply(io::LinkId link, const wire::BatchReply& reply) {
  if (has(link)) links_.send(link, payload_for(link, reply));
}

void Clients::answer(io::LinkId link, Parts parts) {
  if (!has(link)) return;
  links_.answer(link,
                [this, link, parts = std::move(parts), over = false]() mutable -> std::optional<std::string> {
                  if (over) return std::nullopt;
                  auto part = parts();
                  over = !part || part->last();
                  return part ? std::optional(payload_for(link, std::move(part))) : std::nullopt;
                });
}

}  // namespace rollcall::mbatchd
