#include "res/daemon/clients.hpp"

#include <unistd.h>

#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "common/base/who_may_control.hpp"
#include "common/conf/meant_host.hpp"

namespace rollcall::res {
namespace {

constexpr std::chrono::milliseconds kFollowPause{500};
constexpr std::chrono::milliseconds kReaderPause{20};  // while a client has not read all that it was sent

wire::FromResToClient data_reply(const std::string& data) {
  wire::FromResToClient message;
  message.set_data(data);
  return message;
}

// True for a part of a request that has not arrived whole yet.
bool is_a_part(std::string_view payload) {
  wire::ToResFromClient asked;
  return asked.ParseFromArray(payload.data(), static_cast<int>(payload.size())) && asked.has_part();
}

}  // namespace

Clients::Clients(boost::asio::io_context& loop, io::Links& links, Jobs& jobs, const io::Log& log,
                 Handler handler)
    : loop_(loop),
      links_(links),
      jobs_(jobs),
      log_(log),
      handler_(std::move(handler)),
      munge_(loop, {}),
      owner_(io::user_name(geteuid())) {}

void Clients::opened(io::LinkId link, const io::LinkPeer& peer) {
  Client& client = clients_[link];
  client.hash = peer.hash;
  client.address = peer.address;
  client.holder = peer.holder;
  if (peer.caller == io::ClusterChannel::Caller::owner) {
    if (take_share(client, geteuid())) client.caller = {true, geteuid(), owner_};
  }
  if (peer.caller == io::ClusterChannel::Caller::ticket)
    if (const auto job = jobs_.span_job(peer.ticket); job && take_share(client, job->user.uid)) {
      client.caller = job->user;
      client.only_job = job->attempt;
      links_.identified(link, job->user.uid);
    }
}

void Clients::ended(io::LinkId link) {
  const auto client = clients_.find(link);
  if (client == clients_.end()) return;
  if (client->second.share) shares_.give(*client->second.share);
  drop_unfinished(client->second);
  clients_.erase(client);
}

// Returns false if the user has the most connections allowed. The reply to its request says so, and that it may try again.
bool Clients::take_share(Client& client, uid_t user) {
  if (shares_.take(user)) {
    client.share = user;
    return true;
  }
  client.overloaded = "you have " + std::to_string(shares_.held(user)) + " connections with RES on " +
                      configuration_->host + " already, and each user may have " +
                      std::to_string(shares_.most()) + " (ROLLCALL_USER_CONNECTIONS)";
  return false;
}

Result<void> Clients::message(io::LinkId link, std::string_view payload) {
  const auto client = clients_.find(link);
  if (client == clients_.end()) return {};
  if (!client->second.overloaded.empty()) {
    if (!is_a_part(payload)) refuse_for_now(link, client->second.overloaded);
    return {};
  }
  const auto taken = take(client->second, payload);
  if (!taken) return taken.error();
  if (!*taken) return {};
  const Asked& asked = **taken;
  if (asked.has_munge()) {
    learn(link, client->second, asked.munge());
    return {};
  }
  answer(link, asked);
  return {};
}

// Takes one message. Counts the bytes of an incomplete request for its user.
Result<std::optional<wire::ToResFromClient>> Clients::take(Client& client, std::string_view payload) {
  const std::size_t before = client.requests.unfinished();
  auto taken = client.requests.take(payload, client.caller.known);
  const std::size_t now = client.requests.unfinished();
  if (now <= before) {
    unfinished_.give(client.caller.uid, before - now);
  } else if (!unfinished_.take(client.caller.uid, now - before)) {
    client.overloaded = "RES of " + configuration_->host + " holds " +
                        std::to_string(unfinished_.held(client.caller.uid)) +
                        " bytes of requests of yours that have not arrived whole, and each user may have " +
                        std::to_string(unfinished_.most());
    unfinished_.give(client.caller.uid, before);
    client.requests.drop();
  }
  return taken;
}

void Clients::drop_unfinished(Client& client) {
  unfinished_.give(client.caller.uid, client.requests.unfinished());
  client.requests.drop();
}

// The client's requests are read once MUNGE has told its user.
void Clients::learn(io::LinkId link, const Client& client, const std::string& credential) {
  if (client.caller.known) return;
  links_.promise(link);
  munge_.ask({credential, client.hash, configuration_->files.programs.munge_socket, client.holder},
             [this, link](const io::MungeAsker::Answer& user) {
               const auto asker = clients_.find(link);
               if (asker == clients_.end()) return;
               Client& here = asker->second;
               if (user && take_share(here, user->uid)) {
                 here.caller = {true, user->uid, user->name};
                 links_.identified(link, user->uid);
               } else if (!user) {
                 if (user.error().busy)
                   here.overloaded = "RES of " + configuration_->host + ": " + user.error().text;
                 log_.warning("a client at " + here.address + ": " + user.error().text);
               }
               links_.answer(link, [] { return std::nullopt; });
             });
}

bool Clients::administrator(const ResCaller& caller) const {
  return is_administrator(caller, geteuid(), configuration_->files.cluster.administrators);
}

bool Clients::may_run_outside_jobs(const ResCaller& caller) const {
  return configuration_->files.programs.res.runs_outside_jobs || administrator(caller);
}

void Clients::answer(io::LinkId link, const Asked& asked) {
  if (auto why_not = conf::objection_to_host(configuration_->files.names, configuration_->host, asked.host()))
    return refuse(link, std::move(*why_not), false, false);
  const ResCaller caller = clients_[link].caller;
  if (!caller.known)
    return refuse(link, "RES of " + configuration_->host + " does not know who asks", true, false);
  if (const auto& only = clients_[link].only_job) {
    if (!asked.has_task()) return refuse(link, "a job's key is for tasks of the job alone", true, false);
    if (auto why_not = objection_to(asked.task())) return refuse(link, *why_not, false, false);
    wire::RunTask task = asked.task();
    *task.mutable_job() = *only;
    return run_task(link, task, caller);
  }
  if (asked.has_task()) {
    if (!asked.task().has_job() && !may_run_outside_jobs(caller))
      return refuse(link, "lsrun and lsgrun are for administrators here (LSF_DISABLE_LSRUN)", true, false);
    if (auto why_not = objection_to(asked.task())) return refuse(link, *why_not, false, false);
    return run_task(link, asked.task(), caller);
  }
  if (asked.has_peek()) {
    if (std::exchange(clients_[link].peeks, true))
      return refuse(link, "one output is shown at a time", false, false);
    return peek(link, asked.peek(), asked.peek().from());
  }
  if (asked.has_control()) return control(link, asked.control());
  refuse(link, "this RES does not know what is asked", false, false);
}

void Clients::run_task(io::LinkId link, const wire::RunTask& task, const ResCaller& caller) {
  links_.promise(link);  // the client's next request waits for this reply
  jobs_.run_task(task, caller, [this, link](const Jobs::TaskAnswer& answer) {
    if (!answer.why_not.empty()) return refuse(link, answer.why_not, answer.not_allowed, answer.no_job);
    wire::FromResToClient message;
    *message.mutable_stream() = answer.place;
    reply(link, message);
  });
}

void Clients::peek(io::LinkId link, const wire::Peek& asked, std::int64_t from) {
  const auto client = clients_.find(link);
  if (client == clients_.end()) return;
  // Send the next part only when the client has read the last: an output may be larger than our memory.
  if (links_.unsent(link) > 0) return peek_later(link, asked, from, kReaderPause);
  const ResCaller& caller = client->second.caller;
  const bool begun = jobs_.peek(
      asked, caller, administrator(caller), from,
      [this, link, asked, from](const wire::PeekedPart& part) { peeked(link, asked, from, part); });
  if (begun) return;
  client->second.peeks = false;
  if (from == asked.from())
    return refuse(link, "no such job of yours runs on " + configuration_->host, false, true);
  reply(link, data_reply(""));  // the job ended while the client followed it
}

void Clients::peeked(io::LinkId link, const wire::Peek& asked, std::int64_t from,
                     const wire::PeekedPart& part) {
  const bool more = part.why_not().empty() && (!part.data().empty() || (asked.follow() && !part.over()));
  if (const auto client = clients_.find(link); client != clients_.end()) client->second.peeks = more;
  if (!part.why_not().empty()) return refuse(link, part.why_not(), false, false);
  if (!part.data().empty() || !more) reply(link, data_reply(part.data()));
  if (!more) return;
  if (part.data().empty()) return peek_later(link, asked, from, kFollowPause);
  peek(link, asked, from + static_cast<std::int64_t>(part.data().size()));
}

void Clients::peek_later(io::LinkId link, const wire::Peek& asked, std::int64_t from,
                         std::chrono::milliseconds pause) {
  auto timer = std::make_shared<boost::asio::steady_timer>(loop_, pause);
  timer->async_wait([this, timer, link, asked, from](const boost::system::error_code& error) {
    if (!error) peek(link, asked, from);
  });
}

void Clients::control(io::LinkId link, const wire::ControlRes& control) {
  const Client& client = clients_[link];
  const std::string who =
      (client.caller.name.empty() ? "somebody" : client.caller.name) + " at " + client.address;
  if (control.action() != wire::ControlRes::STATUS && !administrator(client.caller)) {
    log_.warning(who + " asked for " + wire::ControlRes::Action_Name(control.action()) + ", and may not");
    return refuse(link, who_may_control(geteuid(), owner_), true, false);
  }
  if (control.action() != wire::ControlRes::STATUS)
    log_.notice(wire::ControlRes::Action_Name(control.action()) + " by " + who);
  auto done = handler_.control(control);
  if (!done) return refuse(link, done.error().text, false, false);
  wire::FromResToClient message;
  message.set_text(std::move(*done));
  reply(link, message);
}

void Clients::refuse(io::LinkId link, std::string why, bool not_allowed, bool no_job) {
  wire::FromResToClient message;
  auto& refused = *message.mutable_refused();
  refused.set_why(std::move(why));
  refused.set_not_allowed(not_allowed);
  refused.set_no_job(no_job);
  reply(link, message);
}

void Clients::refuse_for_now(io::LinkId link, std::string why) {
  wire::FromResToClient message;
  message.mutable_refused()->set_why(std::move(why));
  message.mutable_refused()->set_busy(true);
  reply(link, message);
  links_.close_when_sent(link);
  ended(link);
}

void Clients::reply(io::LinkId link, const wire::FromResToClient& reply) {
  links_.send(link, reply.SerializeAsString());
}

}  // namespace rollcall::res
