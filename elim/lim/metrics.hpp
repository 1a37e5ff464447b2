// Metrics: the master's load for Prometheus, over the HTTP door where ROLLCALL_HTTP opens one.
#pragma once

#include <memory>
#include <string>

#include "elim/lim/clients.hpp"
#include "elim/lim/http.hpp"

namespace rollcall::lim {

class Metrics {
 public:
  Metrics(boost::asio::io_context& loop, const Lim& lim, const Clients& clients, const io::Log& log)
      : loop_(loop), lim_(lim), clients_(clients), log_(log) {}

  // Opens, moves or closes the door. An address that cannot be had is a line in the log and no door.
  void configure(const Configuration& configuration);
  void shut_down() { server_.reset(); }

 private:
  MetricsServer::Answer answer() const;

  boost::asio::io_context& loop_;
  const Lim& lim_;
  const Clients& clients_;
  const io::Log& log_;
  std::string address_;
  std::unique_ptr<MetricsServer> server_;
};

}  // namespace rollcall::lim
