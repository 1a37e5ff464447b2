#include "sched/mbatchd/res_engine.hpp"

#include <utility>

#include "sched/mbatchd/res_links.hpp"
#include "sched/mbatchd/res_words.hpp"

namespace rollcall::mbatchd {
namespace {

class ResEngine : public Engine {
 public:
  explicit ResEngine(EngineSetup setup)
      : setup_(std::move(setup)),
        hosts_(setup_.loop, setup_.links, setup_.log, setup_.term,
               {[this](const std::string& host, const wire::FromRes& said) { hear(host, said); },
                [this](const std::string& host) { lost(host); }}) {}

  void configure(std::shared_ptr<const Configuration> configuration) override {
    hosts_.configure(std::move(configuration));
  }
  bool reaches(const std::string& host) const override { return hosts_.connected(host); }
  bool restart(const std::string& host, bool stop) override {
    wire::ToRes message;
    message.mutable_restart()->set_stop(stop);
    return hosts_.send(host, std::move(message));
  }

  void start(const std::string& host, sched::order::Start order) override {
    send(host, to_res(std::move(order)));
  }
  void expect(const std::string& host, const sched::order::Expect& order) override {
    send(host, to_res(order));
  }
  void signal(const std::string& host, const sched::order::Signal& order) override {
    send(host, to_res(order));
  }
  void acknowledge(const std::string& host, const sched::Attempt& attempt) override {
    send(host, acknowledgement(attempt));
  }
  void release(const std::string& host, const sched::Attempt& attempt) override {
    send(host, mbatchd::release(attempt));
  }

  void opened(io::LinkId link, const io::LinkPeer& peer) override { hosts_.opened(link, peer); }
  Result<void> message(io::LinkId link, std::string_view engine) override {
    wire::FromRes said;
    if (!said.ParseFromArray(engine.data(), static_cast<int>(engine.size())))
      return internal_error("found a message that cannot be read, expected FromRes");
    return hosts_.message(link, said);
  }
  void ended(io::LinkId link, const std::string& why) override {
    if (hosts_.has(link)) setup_.log.info("a RES has gone: " + why);
    hosts_.ended(link);
  }

 private:
  void send(const std::string& host, wire::ToRes order) { hosts_.send(host, std::move(order)); }
  void hear(const std::string& host, const wire::FromRes& said) {
    if (said.has_hello()) setup_.log.notice("RES of " + host + " is connected");
    if (said.has_refused()) setup_.log.error("RES of " + host + " refuses an order: " + said.refused().why());
    if (const auto report = report_of(said)) setup_.told(host, *report);
  }
  void lost(const std::string& host) {
    setup_.log.warning("RES of " + host + " is not connected any more");
    setup_.gone(host);
  }

  EngineSetup setup_;
  ResLinks hosts_;
};

}  // namespace

std::unique_ptr<Engine> make_res_engine(EngineSetup setup) {
  return std::make_unique<ResEngine>(std::move(setup));
}

}  // namespace rollcall::mbatchd
