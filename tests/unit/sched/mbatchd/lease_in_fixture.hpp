// LeaseInTest: LeaseIn beside a Book, and a provider `east` that says what the test wants.
#pragma once

#include "sched/mbatchd/lease_in.hpp"
#include "tests/unit/sched/mbatchd/forward_fixture.hpp"

namespace rollcall::mbatchd {

class LeaseInTest : public ForwardShellTest {
 protected:
  LeaseInTest() {
    const auto files = sched::book::site_files("", "HOSTS = all allremote\n");
    book = std::make_unique<sched::book::Book>();
    book->configure(files, now);
    book->set_term(1);
    book->rows().loaded(now);
    configuration = configuration_of(files);
    keeper.emplace(book->jobs(), book->hosts());
    keeper->configure(configuration->rules);
    in = std::make_unique<LeaseIn>(
        book->jobs(), book->hosts(), *keeper, log,
        LeaseIn::Handler{
            [this](const std::string&, wire::PeerMessage message) {
              said.push_back(std::move(message));
              return true;
            },
            [this](const std::string& host, const sched::HostReport& report) {
              if (std::holds_alternative<sched::report::HostCame>(report)) keeper->connected(host, true);
              tells(host, report);
            },
            [this](const std::string& host, const sched::HostReport& report) { tells(host, report); },
            [this](const std::string& host) { book->hosts().host_gone(host, now); }, [] {}, [] {},
            [this](const sched::Attempt& attempt) { return span_of(attempt); },
            [this](const std::string& host, const sched::Attempt&) { waiting.push_back(host); }, [] {}});
    in->configure(configuration);
  }
  // mbatchd reads new files.
  void configures(const sched::ConfigView& files) {
    book->configure(files, now);
    configuration = configuration_of(files);
    keeper->configure(configuration->rules);
    in->configure(configuration);
  }
  void hear(const std::function<void(wire::PeerMessage&)>& fill) {
    wire::PeerMessage message;
    fill(message);
    const auto heard = in->heard("east", message);
    ASSERT_TRUE(heard) << heard.error().text;
    in->settle();
  }
  void stands(wire::LeaseStands::State state, std::uint64_t counter, int slots) {
    hear([&](auto& message) {
      auto& told = *message.mutable_lease_stands();
      told.set_lease(5);
      told.set_state(state);
      told.mutable_number()->set_term(7);
      told.mutable_number()->set_counter(counter);
      for (const char* name : {"n2", "n3"}) {
        auto& host = *told.add_hosts();
        host.set_host(name);
        host.set_slots(slots);
      }
    });
  }
  void second_lease(std::uint64_t counter, wire::LeaseStands::State state = wire::LeaseStands::ACTIVE) {
    hear([&](auto& message) {
      auto& told = *message.mutable_lease_stands();
      told.set_lease(6);
      told.set_state(state);
      told.mutable_number()->set_term(7);
      told.mutable_number()->set_counter(counter);
      auto& host = *told.add_hosts();
      host.set_host("n4");
      host.set_slots(2);
    });
  }
  // A provider that was away connects again, and has these attempts.
  void returns(const std::vector<wire::ForwardState>& running) {
    in->serves("east");
    stands(wire::LeaseStands::ACTIVE, 1, 2);
    hear([](auto& message) { message.mutable_leases_told()->add_leases(5); });
    hear([&](auto& message) {
      message.mutable_held()->set_last(true);
      message.mutable_held()->mutable_running()->Add(running.begin(), running.end());
    });
  }
  // The number that each lease's answer acknowledges.
  std::map<std::uint64_t, std::uint64_t> acknowledged() {
    said.clear();
    in->flush();
    std::map<std::uint64_t, std::uint64_t> numbers;
    for (const auto& one : said)
      if (one.has_lease_answer())
        numbers[one.lease_answer().lease()] = one.lease_answer().acknowledged().counter();
    return numbers;
  }
  void held(const std::vector<sched::JobKey>& running = {}) {
    hear([&](auto& message) {
      message.mutable_held()->set_last(true);
      for (const auto key : running) *message.mutable_held()->add_running() = state_of(key).state();
    });
  }
  void connects(wire::LeaseStands::State state = wire::LeaseStands::ACTIVE) {
    in->serves("east");
    stands(state, 1, 2);
    hear([](auto& message) { message.mutable_leases_told()->add_leases(5); });
    held();
  }
  sched::JobKey dispatched() {
    const sched::JobKey key{submit(sched::book::plain_job()), 0};
    dispatch(key, {"n2@east"});
    orders();
    return key;
  }
  // The turn's orders leave.
  void orders() {
    for (const auto& one : std::exchange(effects, {}))
      book->hosts().carry_out(one, *in, [](const auto& asked) { return asked; });
  }
  wire::PeerMessage state_of(sched::JobKey key, wire::JobStatus status = wire::STATUS_RUN) {
    wire::PeerMessage message;
    auto& state = *message.mutable_state();
    sched::set_key(*state.mutable_attempt()->mutable_key(), key);
    state.mutable_attempt()->set_attempt(job(key).record.attempt());
    state.mutable_attempt()->set_lent_host("n2");
    state.mutable_job()->mutable_key()->set_id(77);
    state.mutable_job()->set_status(status);
    state.mutable_job()->set_pid(100);
    return message;
  }
  void over(sched::JobKey key, wire::ForwardOver::How how, int exit_status = 0,
            const std::string& due_to = "") {
    hear([&](auto& message) {
      message.mutable_over()->set_due_to_host(due_to);
      *message.mutable_over()->mutable_attempt() = state_of(key).state().attempt();
      message.mutable_over()->set_how(how);
      message.mutable_over()->set_exit_status(exit_status);
      message.mutable_over()->mutable_job()->mutable_key()->set_id(77);
      message.mutable_over()->mutable_job()->set_status(wire::STATUS_DONE);
    });
  }
  wire::LeaseAnswer answered() {
    said.clear();
    in->flush();
    for (const auto& one : said)
      if (one.has_lease_answer()) return one.lease_answer();
    return {};
  }

  std::optional<wire::JobSpan> span_of(const sched::Attempt& attempt) {
    wire::JobSpan span;
    for (const auto& host : job(attempt.job).record.hosts()) {
      auto& place = *span.add_places();
      place.set_host(std::string(sched::HostId(host.name()).host()));
      place.set_cluster(std::string(sched::HostId(host.name()).cluster()));
      place.set_task_key("of " + place.cluster());
      if (sched::HostId(host.name()).ours()) place.add_addresses("10.0.0.1");
      if (const auto known = in->place_of(host.name())) place.add_addresses(known->addresses.front());
    }
    return span;
  }
  void tells_addresses(bool any = true) {
    hear([any](auto& message) {
      for (const char* name : {"n2", "n3", "n4"}) {
        auto& host = *message.mutable_lease_loads()->add_hosts();
        host.mutable_facts()->set_name(name);
        if (any) host.add_addresses("10.0.0.2");
        host.set_port(6883);
      }
    });
  }
  // A job whose part has been offered.
  sched::JobKey spans(const std::vector<std::string>& hosts = {"hostA", "n2@east", "n3@east"}) {
    tells("hostA", sched::report::HostCame{{}, true});
    const sched::JobKey key{submit(sched::book::plain_job()), 0};
    dispatch(key, hosts);
    expectations();
    return key;
  }
  // As the daemon: the jobs that have changed, then the orders, which leave behind the commit.
  void changed() {
    std::set<sched::JobKey> jobs;
    for (const auto& one : effects)
      if (const auto* save = std::get_if<sched::effect::SaveJob>(&one)) jobs.insert(save->key);
    in->touched(jobs);
    in->settle();
  }
  void expectations() {
    changed();
    for (const auto& one : std::exchange(effects, {})) {
      if (const auto* expect = std::get_if<sched::effect::OrderExpect>(&one))
        if (const auto order = book->hosts().expect_order(*expect);
            order && !sched::HostId(expect->host).ours())
          in->expect(expect->host, *order);
      if (const auto* release = std::get_if<sched::effect::OrderRelease>(&one))
        if (!sched::HostId(release->host).ours()) in->release(release->host, release->attempt);
    }
  }
  void prepared_here(sched::JobKey key) {
    tells("hostA", sched::report::Prepared{{{key, job(key).record.attempt()}}});
  }
  wire::PeerMessage part_state(sched::JobKey key, bool prepared) {
    wire::PeerMessage message = state_of(key);
    message.mutable_state()->mutable_attempt()->set_part(true);
    message.mutable_state()->set_prepared(prepared);
    for (const char* name : {"n2", "n3"}) {
      auto& host = *message.mutable_state()->mutable_job()->add_hosts();
      host.set_name(name);
      host.set_slots(1);
    }
    return message;
  }
  void part_over(sched::JobKey key, wire::ForwardOver::How how, const std::string& due_to = "") {
    hear([&](auto& message) {
      message.mutable_over()->set_due_to_host(due_to);
      *message.mutable_over()->mutable_attempt() = part_state(key, true).state().attempt();
      message.mutable_over()->set_how(how);
      message.mutable_over()->mutable_job()->mutable_key()->set_id(77);
      message.mutable_over()->mutable_job()->set_status(wire::STATUS_DONE);
    });
    expectations();
  }
  bool go_is_given(sched::JobKey key) {
    return job(key).status() == wire::STATUS_RUN && job(key).launch.go_given;
  }

  std::shared_ptr<const Configuration> configuration;
  std::optional<sched::answers::SnapshotKeeper> keeper;
  std::unique_ptr<LeaseIn> in;
  std::vector<std::string> waiting;  // hosts whose orders wait until all hosts can be named
};

// lsf.shared here has lic, of which only leases have instances.
class LentLicences : public LeaseInTest {
 protected:
  LentLicences() {
    auto files = sched::book::site_files("", "HOSTS = all allremote\n");
    auto cluster = std::make_shared<conf::ClusterFiles>(*files.cluster);
    cluster->indices.add({.name = "lic", .type = ResourceType::numeric});
    files.cluster = std::move(cluster);
    book->configure(files, now);
    configuration = configuration_of(files);
    keeper->configure(configuration->rules);
    in->configure(configuration);
    connects();
    stands_with(2, 3);
  }
  void stands_with(std::uint64_t counter, int instances) {
    hear([&](auto& message) {
      auto& told = *message.mutable_lease_stands();
      told.set_lease(5);
      told.set_state(wire::LeaseStands::ACTIVE);
      told.mutable_number()->set_term(7);
      told.mutable_number()->set_counter(counter);
      for (const char* name : {"n2", "n3"}) {
        auto& host = *told.add_hosts();
        host.set_host(name);
        host.set_slots(2);
      }
      if (instances == 0) return;
      auto& resource = *told.add_resources();
      resource.set_name("lic");
      resource.set_instances(instances);
      resource.add_hosts("n2");
    });
  }
  sched::JobKey starts(double amount) {
    const sched::JobKey key{submit(sched::book::plain_job()), 0};
    auto plan = sched::book::on_hosts({"n2@east"});
    plan.placement.reservations = {{"lic", sched::HostId("n2@east"), amount, {}, false},
                                   {"mem", sched::HostId("n2@east"), 100, {}, false}};
    effects = book->hosts().dispatch(key, plan, now);
    orders();
    return key;
  }
  // What the consumer's cycle has of it.
  std::optional<double> instances() const {
    const auto& rules = keeper->snapshot().rules();
    const auto host = rules.host("n2@east");
    const auto place = host ? rules.instance_of(*rules.indices().find("lic"), *host) : std::nullopt;
    return place ? std::optional(keeper->snapshot().shared_number(*place)) : std::nullopt;
  }
};

}  // namespace rollcall::mbatchd
