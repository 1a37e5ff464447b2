#include "elim/lim/metrics.hpp"

#include "elim/policy/lim/metrics_text.hpp"
#include "elim/policy/load/elim_state_word.hpp"

namespace rollcall::lim {
namespace {

// The cluster at the moment when a piece is made; none where this LIM is no master any more.
class LiveMetrics : public MetricsView {
 public:
  LiveMetrics(const Lim& lim, const Clients& clients) : lim_(lim), clients_(clients) {}

  MetricsCluster cluster() const override {
    return {there() ? clients_.view().files().cluster.name : "", lim_.master_name(), ROLLCALL_VERSION};
  }
  std::size_t hosts() const override { return there() ? clients_.view().size() : 0; }
  std::size_t indices() const override { return lim_.rules->indices.size(); }
  std::string_view host(std::size_t host) const override { return lim_.rules->hosts[host].name; }
  std::string_view index(std::size_t index) const override {
    return lim_.rules->indices.at(static_cast<ResourceId>(index)).name;
  }
  bool up(std::size_t host) const override { return clients_.view().up(static_cast<HostIndex>(host)); }
  std::string status(std::size_t host) const override {
    return clients_.view().status_word(static_cast<HostIndex>(host));
  }
  std::optional<double> number(std::size_t host, std::size_t index) const override {
    const auto id = static_cast<ResourceId>(index);
    const auto& definition = lim_.rules->indices.at(id);
    if (!definition.dynamic() || definition.type != ResourceType::numeric) return std::nullopt;
    const float value = clients_.view().number(static_cast<HostIndex>(host), id, QueueForm::raw);
    if (!known_load(value)) return std::nullopt;
    return value;
  }
  std::string_view word(std::size_t host, std::size_t index) const override {
    const auto id = static_cast<ResourceId>(index);
    return lim_.rules->indices.at(id).dynamic() ? clients_.view().word(static_cast<HostIndex>(host), id)
                                                : std::string_view();
  }
  std::optional<double> age_seconds(std::size_t host, std::size_t index) const override {
    const auto id = static_cast<ResourceId>(index);
    if (!lim_.rules->indices.at(id).dynamic()) return std::nullopt;
    const auto age = clients_.view().age(static_cast<HostIndex>(host), id);
    if (!age) return std::nullopt;
    return std::chrono::duration<double>(std::chrono::duration_cast<std::chrono::milliseconds>(*age)).count();
  }
  std::vector<MetricsElim> elims(std::size_t host) const override {
    std::vector<MetricsElim> all;
    for (const auto& elim : clients_.view().entry(static_cast<HostIndex>(host)).elims)
      all.push_back({elim.name(), load::elim_state_word(elim.state()), elim.restarts(), elim.errors()});
    return all;
  }

 private:
  bool there() const { return lim_.mastership.has_value(); }
  const Lim& lim_;
  const Clients& clients_;
};

struct Scrape {
  Scrape(const Lim& lim, const Clients& clients) : view(lim, clients), text(view) {}
  LiveMetrics view;
  MetricsText text;
};

}  // namespace

void Metrics::configure(const Configuration& configuration) {
  const std::string& wanted = configuration.files.settings.http;
  if (wanted == address_ && (server_ || wanted.empty())) return;
  address_ = wanted;
  server_.reset();
  if (wanted.empty()) return;
  const auto address = parse_http_address(wanted);
  if (!address) return log_.error(address.error().text);
  auto server = std::make_unique<MetricsServer>(loop_, HttpLimits{}, [this] { return answer(); });
  const auto port = server->listen(*address);
  if (!port) return log_.error(port.error().text);
  server_ = std::move(server);
  log_.notice("metrics for everybody who reaches " + address->host + " port " + std::to_string(*port));
}

MetricsServer::Answer Metrics::answer() const {
  if (!lim_.mastership) {
    const std::string& master = lim_.master_name();
    return {nullptr, master.empty() ? "no master is known" : "the master is " + master};
  }
  auto scrape = std::make_shared<Scrape>(lim_, clients_);
  return {[scrape] { return scrape->text.next(); }, ""};
}

}  // namespace rollcall::lim
