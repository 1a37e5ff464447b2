// Metrics: the master's load for Prometheus, served over HTTP where ROLLCALL_HTTP is set.
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

  // Opens, moves or closes the port. If the address cannot be used, that is logged and the port stays closed.
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
