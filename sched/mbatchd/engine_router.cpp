#include "sched/mbatchd/engine_router.hpp"

#include <utility>

#include "sched/policy/values/order_router.hpp"

namespace rollcall::mbatchd {
namespace {

class EngineRouter : public sched::OrderRouter<Engine> {
 public:
  EngineRouter(EngineSetup setup, const std::vector<EngineMaker>& makers, EngineRules rules)
      : setup_(std::move(setup)), rules_(std::move(rules)) {
    engines_.reserve(makers.size());
    for (const auto& make : makers) engines_.push_back(make(setup_of(engines_.size())));
  }

  void configure(std::shared_ptr<const Configuration> configuration) override {
    for (const auto& engine : engines_) engine->configure(configuration);
  }
  bool reaches(const std::string& host) const override {
    const Engine* engine = engine_of(host);
    return engine != nullptr && engine->reaches(host);
  }
  bool has_room(const std::string& host) const override {
    const Engine* engine = engine_of(host);
    return engine == nullptr || engine->has_room(host);
  }
  bool restart(const std::string& host, bool stop) override {
    Engine* engine = engine_of(host);
    return engine != nullptr && engine->restart(host, stop);
  }
  void let_go(const std::string& host) override {
    if (Engine* engine = engine_of(host)) engine->let_go(host);
  }
  bool read(const std::string& host, const sched::Attempt& attempt, std::uint64_t number,
            const wire::PieceAsked& asked) override {
    Engine* engine = engine_of(host);
    return engine != nullptr && engine->read(host, attempt, number, asked);
  }
  bool file(const std::string& host, std::uint64_t number, const FileOnHost& file) override {
    Engine* engine = engine_of(host);
    return engine != nullptr && engine->file(host, number, file);
  }

  bool name_grants(const std::string& host, const sched::lease::GrantQuestion& question) override {
    Engine* engine = engine_of(host);
    return engine != nullptr && engine->name_grants(host, question);
  }

  std::optional<HostPlace> place_of(const std::string& host) const override {
    const Engine* engine = engine_of(host);
    return engine == nullptr ? std::nullopt : engine->place_of(host);
  }

  void opened(io::LinkId link, const io::LinkPeer& peer) override {
    const auto number = rules_.of_caller(peer);
    if (!number || *number >= engines_.size()) {
      setup_.log.error("a daemon at " + peer.address + " belongs to no engine: its connection is closed");
      return setup_.links.close(link);
    }
    engines_[*number]->opened(link, peer);
  }
  bool has(io::LinkId link) const override { return engine_with(link) != nullptr; }
  Result<void> message(io::LinkId link, std::string_view engine) override {
    if (Engine* const its = engine_with(link)) return its->message(link, engine);
    return internal_error("found a message for an engine on a connection of no engine, expected none");
  }
  void ended(io::LinkId link, const std::string& why) override {
    if (Engine* const its = engine_with(link)) its->ended(link, why);
  }
  void drained(io::LinkId link) override {
    if (Engine* const its = engine_with(link)) its->drained(link);
  }

 protected:
  Engine* engine_of(const std::string& host) const override {
    const auto number = rules_.of_host(host);
    return number && *number < engines_.size() ? engines_[*number].get() : nullptr;
  }

 private:
  // An engine may report on its own hosts only.
  EngineSetup setup_of(EngineNumber number) {
    return {
        .loop = setup_.loop,
        .links = setup_.links,
        .log = setup_.log,
        .term = setup_.term,
        .told =
            [this, number](const std::string& host, const sched::HostReport& report) {
              if (owns(number, host)) setup_.told(host, report);
            },
        .gone =
            [this, number](const std::string& host, Duration silent) {
              if (owns(number, host)) setup_.gone(host, silent);
            },
        .room =
            [this, number](const std::string& host) {
              if (owns(number, host) && setup_.room) setup_.room(host);
            },
        .piece =
            [this, number](const std::string& host, std::uint64_t question, const wire::Piece& piece) {
              if (owns(number, host) && setup_.piece) setup_.piece(host, question, piece);
            },
        .grants_of = setup_.grants_of,
        .grants_held =
            [this, number](const std::string& host, const sched::lease::GrantsOnHost& held) {
              if (owns(number, host) && setup_.grants_held) setup_.grants_held(host, held);
            },
        .span_of = setup_.span_of,
        .is_part = setup_.is_part,
        .awaits_span = setup_.awaits_span,
        .has_attempts = setup_.has_attempts,
    };
  }
  Engine* engine_with(io::LinkId link) const {
    for (const auto& engine : engines_)
      if (engine->has(link)) return engine.get();
    return nullptr;
  }
  bool owns(EngineNumber number, const std::string& host) const {
    if (rules_.of_host(host) == number) return true;
    setup_.log.error("engine " + std::to_string(number) + " reports of " + host +
                     ", a host of another engine: the report is dropped");
    return false;
  }

  EngineSetup setup_;
  const EngineRules rules_;
  std::vector<std::unique_ptr<Engine>> engines_;
};

}  // namespace

EngineRules first_engine_for_all() {
  return {[](const std::string&) { return EngineNumber{0}; },
          [](const io::LinkPeer&) { return EngineNumber{0}; }};
}

EngineMaker engine_router(std::vector<EngineMaker> engines, EngineRules rules) {
  return [engines = std::move(engines), rules = std::move(rules)](EngineSetup setup) {
    return std::make_unique<EngineRouter>(std::move(setup), engines, rules);
  };
}

}  // namespace rollcall::mbatchd
