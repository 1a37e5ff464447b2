// Clients: the conversation with those who run something here (blaunch, lsrun), look at output (bpeek), or control RES
// (lsadmin, badmin): who they are, what they ask, what they get.
//
// Owns what each client has proved, and each user's share of the connections and of unfinished requests.
// res/policy/res_rights.hpp decides who may do what; Jobs and the daemon do it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
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
#include "res/daemon/configuration.hpp"
#include "res/daemon/jobs.hpp"
#include "res/policy/client_requests.hpp"
#include "res/policy/res_rights.hpp"

namespace rollcall::res {

class Clients {
 public:
  struct Handler {
    // Carries a permitted control out, and gives the line that its caller is told. An error: nothing was done.
    std::function<Result<std::string>(const wire::ControlRes&)> control;
  };
  Clients(boost::asio::io_context& loop, io::Links& links, Jobs& jobs, const io::Log& log, Handler handler);

  void configure(std::shared_ptr<const Configuration> configuration) {
    configuration_ = std::move(configuration);
    shares_.set_most(configuration_->files.programs.res.user_connections);
  }
  void opened(io::LinkId link, const io::LinkPeer& peer);
  Result<void> message(io::LinkId link, std::string_view payload);
  void ended(io::LinkId link);

 private:
  struct Client {
    ClientRequests requests;
    ResCaller caller;
    std::string hash, address, holder;
    std::string overloaded;  // why its request is not answered now
    bool peeks = false;
    std::optional<wire::JobAttempt> only_job;  // it has proved that job's key, and asks for its tasks alone
    std::optional<uid_t> share;                // whose connection it is
  };
  using Asked = wire::ToResFromClient;

  void learn(io::LinkId link, const Client& client, const std::string& credential);
  bool take_share(Client& client, uid_t user);
  Result<std::optional<wire::ToResFromClient>> take(Client& client, std::string_view payload);
  void drop_unfinished(Client& client);
  void answer(io::LinkId link, const Asked& asked);
  void run_task(io::LinkId link, const wire::RunTask& task, const ResCaller& caller);
  void peek(io::LinkId link, const wire::Peek& asked, std::int64_t from);
  void peeked(io::LinkId link, const wire::Peek& asked, std::int64_t from, const wire::PeekedPart& part);
  void peek_later(io::LinkId link, const wire::Peek& asked, std::int64_t from,
                  std::chrono::milliseconds pause);
  void control(io::LinkId link, const wire::ControlRes& control);
  void refuse(io::LinkId link, std::string why, bool not_allowed, bool no_job);
  void refuse_for_now(io::LinkId link, std::string why);  // overload: the client comes again
  void reply(io::LinkId link, const wire::FromResToClient& reply);
  bool administrator(const ResCaller& caller) const;
  bool may_run_outside_jobs(const ResCaller& caller) const;

  boost::asio::io_context& loop_;
  io::Links& links_;
  Jobs& jobs_;
  const io::Log& log_;
  Handler handler_;
  io::MungeAsker munge_;
  std::shared_ptr<const Configuration> configuration_;
  std::unordered_map<io::LinkId, Client> clients_;
  UserShares shares_{0};                          // connections
  UserShares unfinished_{wire::kMostUnfinished};  // bytes of requests that are not whole yet
  std::string owner_;                             // the name of the user who runs RES
};

}  // namespace rollcall::res
