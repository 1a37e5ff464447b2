// MetricsText: every host's load in the Prometheus text format (version 0.0.4), piece by piece.
//
// Pure: values come through MetricsView. The text is made in pieces: 10,000 hosts give some 60 MB, and a slow reader must not
// make us hold more than one piece. The samples of a family stand together, as the format asks.
//
//   rollcall_cluster_info{cluster=,master=,version=} 1
//   rollcall_host_up{host=}                     1 where the host's LIM reports, else 0
//   rollcall_host_status{host=,status=}         1; the status word of lsload
//   rollcall_load{host=,index=}                 numeric indices that are known, in their own units, raw run queues
//   rollcall_load_info{host=,index=,value=}     1; String indices that are known
//   rollcall_load_age_seconds{host=,index=}     since the value was last told
//   rollcall_elim_state{host=,elim=,state=}     1
//   rollcall_elim_restarts_total, rollcall_elim_errors_total {host=,elim=}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rollcall::lim {

struct MetricsElim {
  std::string name;
  std::string state;  // elim_state_word()
  std::uint64_t restarts = 0;
  std::uint64_t errors = 0;
};

struct MetricsCluster {
  std::string name, master, version;
};

// Hosts and indices by their places. Both may change between two pieces; an invalid place has no value.
class MetricsView {
 public:
  virtual ~MetricsView() = default;
  virtual MetricsCluster cluster() const = 0;
  virtual std::size_t hosts() const = 0;
  virtual std::size_t indices() const = 0;
  virtual std::string_view host(std::size_t host) const = 0;
  virtual std::string_view index(std::size_t index) const = 0;
  virtual bool up(std::size_t host) const = 0;
  virtual std::string status(std::size_t host) const = 0;
  virtual std::optional<double> number(std::size_t host, std::size_t index) const = 0;
  virtual std::string_view word(std::size_t host, std::size_t index) const = 0;  // "": none
  virtual std::optional<double> age_seconds(std::size_t host, std::size_t index) const = 0;
  virtual std::vector<MetricsElim> elims(std::size_t host) const = 0;
};

class MetricsText {
 public:
  explicit MetricsText(const MetricsView& view) : view_(view) {}
  // The next piece, of about 64 KiB; none after the last.
  std::optional<std::string> next();

 private:
  const MetricsView& view_;
  std::size_t family_ = 0;
  std::size_t host_ = 0;
};

// A label's value: backslash, quote and newline escaped.
std::string metrics_label(std::string_view text);
// A sample's value as the format writes it: "0.25", "NaN", "+Inf".
std::string metrics_number(double value);

}  // namespace rollcall::lim
