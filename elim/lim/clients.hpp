// Clients: the conversation with clients: who they are, what they ask, and the answers on their way.
//
// Owns what each client has proved. The answers are made by elim/policy (answers.hpp), a part at a time as the client
// reads; what a control does is the daemon's. A client is told who may not, and why; it is never believed about itself.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/io/munge_credential.hpp"
#include "elim/lim/configuration.hpp"
#include "elim/lim/links.hpp"
#include "elim/lim/log.hpp"
#include "elim/policy/answers.hpp"
#include "elim/policy/control_right.hpp"
#include "elim/policy/output_limits.hpp"

namespace rollcall::lim {

class Clients {
 public:
  struct Handler {
    std::function<TimePoint()> now;
    std::function<void(Event)> happened;
    // Carries a permitted control out. `who`: for the log.
    std::function<wire::Reply(const wire::Request::Control&, const std::string& who)> control;
  };

  Clients(Links& links, const Lim& lim, const Log& log, Handler handler);

  void configure(std::shared_ptr<const Configuration> configuration);

  void opened(LinkId link, const LinkPeer& peer);
  Result<void> message(LinkId link, std::string_view payload);
  void ended(LinkId link) { clients_.erase(link); }

  // As masters answer; also for the metrics. Only where lim.mastership.
  ClusterView view() const { return {lim_, configuration_->files, *shared_, handler_.now()}; }

 private:
  struct Client {
    ProvedCaller proved;
    std::string hash, address;
    std::string credential;  // not looked at before it is needed
  };

  void answer(LinkId link, Client& client, const wire::Request& request);
  void answer_parts(LinkId link, std::function<std::optional<wire::Reply>(const ClusterView&)> next);
  template <class Ask, class Part>
  void answer_hosts(LinkId link, const Ask& ask, Part part);
  void control(LinkId link, Client& client, const wire::Request::Control& control);
  void prove(Client& client);
  Result<io::MungeIdentity> ask_munge(const std::string& credential, const Client& client);
  void complain(const std::string& line);
  void reply(LinkId link, const wire::Reply& reply);

  Links& links_;
  const Lim& lim_;
  const Log& log_;
  Handler handler_;
  std::shared_ptr<const Configuration> configuration_;
  std::shared_ptr<const SharedPlaces> shared_;
  std::unordered_map<LinkId, Client> clients_;
  MungePause munge_pause_;
  // Everybody who knows the public key can make us complain: that must not fill the disk.
  melim::LineBudget complaints_{20, std::chrono::seconds(10)};
};

}  // namespace rollcall::lim
