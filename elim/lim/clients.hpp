// Clients: LIM's conversations with clients: their identity, requests and answers.
//
// Owns what each client has proved. elim/policy/lim makes the answers (answers.hpp), a part at a time as the client reads; the
// daemon carries out controls. A refused client is told why; its own claims are never believed. munged is asked outside the loop,
// and only if a request depends on the user.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/io/links.hpp"
#include "common/io/log.hpp"
#include "common/io/munge_asker.hpp"
#include "elim/lim/configuration.hpp"
#include "elim/policy/lim/answers.hpp"
#include "elim/policy/lim/control_right.hpp"
#include "elim/policy/load/output_limits.hpp"

namespace rollcall::lim {

class Clients {
 public:
  struct Handler {
    std::function<TimePoint()> now;
    std::function<void(Event)> happened;
    // Carries out a permitted control. `who`: for the log.
    std::function<wire::Reply(const wire::Request::Control&, const std::string& who)> control;
  };

  Clients(boost::asio::io_context& loop, io::Links& links, const Lim& lim, const io::Log& log,
          Handler handler);

  void configure(std::shared_ptr<const Configuration> configuration);

  void opened(io::LinkId link, const io::LinkPeer& peer);
  Result<void> message(io::LinkId link, std::string_view payload);
  void ended(io::LinkId link) { clients_.erase(link); }

  // The view from which masters answer; also for the metrics. Only with lim.mastership.
  ClusterView view() const { return {lim_, configuration_->files, *shared_, handler_.now()}; }

 private:
  struct Client {
    ProvedCaller proved;
    std::string hash, address, holder;
    std::string credential;  // checked only when it is needed
  };

  void answer(io::LinkId link, const wire::Request& request);
  void answer_parts(io::LinkId link, std::function<std::optional<wire::Reply>(const ClusterView&)> next);
  template <class Ask, class Part>
  void answer_hosts(io::LinkId link, const Ask& ask, Part part);
  void control(io::LinkId link, const Client& client, const wire::Request::Control& control);
  void prove(io::LinkId link, std::function<void(const Client&)> then);
  void believe(Client& client, const io::MungeAsker::Answer& who);
  void complain(const std::string& line);
  void reply(io::LinkId link, const wire::Reply& reply);

  io::Links& links_;
  const Lim& lim_;
  const io::Log& log_;
  Handler handler_;
  std::shared_ptr<const Configuration> configuration_;
  std::shared_ptr<const SharedPlaces> shared_;
  std::unordered_map<io::LinkId, Client> clients_;
  std::string owner_;  // the user who runs this LIM
  io::MungeAsker munge_;
  // Anybody who knows the public key can cause these log lines: their rate is limited.
  load::LineBudget complaints_{20, std::chrono::seconds(10)};
};

}  // namespace rollcall::lim
