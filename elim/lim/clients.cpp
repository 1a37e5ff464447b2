#include "elim/lim/clients.hpp"

#include <unistd.h>

#include "common/base/who_may_control.hpp"
#include "common/conf/meant_host.hpp"
#include "common/wire/frame.hpp"

namespace rollcall::lim {
namespace {

using Reply = wire::Reply;
using Request = wire::Request;

constexpr std::size_t kMostReply = wire::kFrameLimit - 64;  // a sealed answer must fit into a frame

std::string payload_of(const Reply& reply) {
  wire::FromLim message;
  *message.mutable_reply() = reply;
  if (message.ByteSizeLong() > kMostReply)
    *message.mutable_reply() = refusal(Reply::Refusal::FAILED, "one part of the answer is too large to send");
  return message.SerializeAsString();
}

}  // namespace

Clients::Clients(boost::asio::io_context& loop, io::Links& links, const Lim& lim, const io::Log& log,
                 Handler handler)
    : links_(links),
      lim_(lim),
      log_(log),
      handler_(std::move(handler)),
      owner_(io::user_name(geteuid())),
      munge_(loop, {.line = std::chrono::seconds(2)}) {}  // clients wait for 5 s

void Clients::configure(std::shared_ptr<const Configuration> configuration) {
  configuration_ = std::move(configuration);
  shared_ = std::make_shared<SharedPlaces>(configuration_->files, *lim_.rules);
}

void Clients::opened(io::LinkId link, const io::LinkPeer& peer) {
  Client& client = clients_[link];
  client.hash = peer.hash;
  client.address = peer.address;
  client.holder = peer.holder;
  if (peer.caller == io::ClusterChannel::Caller::owner) {
    client.proved.holds_key = true;
    client.proved.name = owner_;
  }
}

Result<void> Clients::message(io::LinkId link, std::string_view payload) {
  const auto client = clients_.find(link);
  if (client == clients_.end()) return {};
  wire::ToLim message;
  if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
    return internal_error("found a message that cannot be read, expected ToLim");
  if (message.has_credential())
    client->second.credential = message.credential().munge();
  else if (message.has_request())
    answer(link, message.request());
  else
    return internal_error("found a message of daemons, expected a client's");
  return {};
}

void Clients::answer(io::LinkId link, const Request& request) {
  switch (request.request_case()) {
    case Request::kIdentity:
      return prove(link, [this, link](const Client& client) {
        reply(link, identity_answer(lim_, configuration_->files, {ROLLCALL_VERSION, client.proved.name}));
      });
    case Request::kResources:
      return reply(link, resources_answer(configuration_->files));
    case Request::kControl:
      return prove(link, [this, link, asked = request.control()](const Client& client) {
        control(link, client, asked);
      });
    case Request::REQUEST_NOT_SET:
      return reply(link, refusal(Reply::Refusal::FAILED, "this LIM does not know what is asked"));
    default:
      break;
  }
  if (!lim_.mastership) return reply(link, not_master_answer(lim_));
  if (request.has_hosts()) return answer_hosts(link, request.hosts(), hosts_part);
  if (request.has_load()) return answer_hosts(link, request.load(), load_part);
  if (request.has_cluster())
    return answer_parts(link, [progress = begin_cluster_answer(view())](const ClusterView& cluster) mutable {
      return cluster_part(cluster, progress);
    });
  auto parts = std::make_shared<std::vector<Reply>>(shared_answer(view(), request.shared()));
  answer_parts(link, [parts, next = std::size_t{0}](const ClusterView&) mutable -> std::optional<Reply> {
    if (next == parts->size()) return std::nullopt;
    return (*parts)[next++];
  });
}

template <class Ask, class Part>
void Clients::answer_hosts(io::LinkId link, const Ask& ask, Part part) {
  auto chosen = std::make_shared<Chosen>(choose(view(), ask));
  if (chosen->refused) return reply(link, *chosen->refused);
  answer_parts(link, [chosen, ask, part, from = std::size_t{0}](const ClusterView& cluster) mutable {
    return part(cluster, ask, *chosen, from);
  });
  event::PlacementMade placement;
  for (const auto& [host, slots] : chosen->hosts)
    if (slots > 0) placement.hosts.push_back({lim_.rules->hosts[host].name, slots});
  if (!placement.hosts.empty()) handler_.happened(std::move(placement));
}

// Between two parts the files or the master may have changed, and with them the places of hosts.
void Clients::answer_parts(io::LinkId link, std::function<std::optional<Reply>(const ClusterView&)> next) {
  links_.answer(
      link,
      [this, files = configuration_, next = std::move(next),
       over = false]() mutable -> std::optional<std::string> {
        if (over) return std::nullopt;
        if (files != configuration_ || !lim_.mastership) {
          over = true;
          return payload_of(refusal(Reply::Refusal::FAILED, "the cluster has changed meanwhile, ask again"));
        }
        const auto part = next(view());
        if (!part) return std::nullopt;
        return payload_of(*part);
      });
}

// ---- controls

// Calls `then` at once if MUNGE need not be asked, else when munged has answered, unless the client has gone.
void Clients::prove(io::LinkId link, std::function<void(const Client&)> then) {
  Client& client = clients_[link];
  if (client.credential.empty()) return then(client);
  links_.promise(link);
  munge_.ask({std::exchange(client.credential, {}), client.hash, configuration_->files.programs.munge_socket,
              client.holder},
             [this, link, then = std::move(then)](const io::MungeAsker::Answer& who) {
               const auto found = clients_.find(link);
               if (found == clients_.end()) return;
               believe(found->second, who);
               if (!who && who.error().busy)
                 return reply(link, refusal(Reply::Refusal::FAILED, "LIM: " + who.error().text));
               then(found->second);
             });
}

void Clients::believe(Client& client, const io::MungeAsker::Answer& who) {
  if (!who) return complain("a client at " + client.address + ": " + who.error().text);
  client.proved.uid = who->uid;
  client.proved.name = who->name;
}

void Clients::complain(const std::string& line) {
  if (!complaints_.take(handler_.now())) return;
  const auto missing = complaints_.left_out();
  log_.warning(line + (missing == 0 ? "" : " (and " + std::to_string(missing) + " lines like it before)"));
}

void Clients::control(io::LinkId link, const Client& client, const Request::Control& control) {
  if (auto why_not =
          conf::objection_to_host(configuration_->files.names, configuration_->host, control.host()))
    return reply(link, refusal(Reply::Refusal::FAILED, std::move(*why_not)));
  const auto& administrators = configuration_->files.cluster.administrators;
  const std::string who =
      (client.proved.name.empty() ? "somebody" : client.proved.name) + " at " + client.address;
  if (!may_control(client.proved, geteuid(), administrators)) {
    complain(who + " asked for " + Request::Control::Action_Name(control.action()) + ", and may not");
    return reply(link, refusal(Reply::Refusal::NOT_ALLOWED, who_may_control(geteuid(), owner_)));
  }
  reply(link, handler_.control(control, who));
}

void Clients::reply(io::LinkId link, const Reply& reply) { links_.send(link, payload_of(reply)); }

}  // namespace rollcall::lim
