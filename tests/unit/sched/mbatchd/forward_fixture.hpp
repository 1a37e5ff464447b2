// What tests of the forwarding shells share: a Book with the files of a site, a snapshot of them, and the messages that were said.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/io/log.hpp"
#include "common/wire/peer.pb.h"
#include "sched/mbatchd/configuration.hpp"
#include "sched/policy/cycle/snapshot.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::mbatchd {

inline TimePoint at(int second) { return TimePoint{std::chrono::seconds(second)}; }

// `change`: of what lsf.conf says to mbatchd.
template <class Change>
std::shared_ptr<const Configuration> configuration_of(sched::ConfigView files, const Change& change) {
  auto cluster = std::make_shared<conf::ClusterFiles>(*files.cluster);
  change(cluster->programs.mbatchd);
  files.cluster = cluster;
  auto configuration = std::make_shared<Configuration>();
  configuration->files = files;
  configuration->rules = sched::cycle::placement_rules(files.cluster, files.lsb);
  configuration->peers.clusters = {{"east", {}}, {"north", {}}};
  return configuration;
}
inline std::shared_ptr<const Configuration> configuration_of(sched::ConfigView files) {
  return configuration_of(std::move(files), [](auto&) {});
}

class ForwardShellTest : public sched::book::BookTest {
 protected:
  using What = wire::PeerMessage::WhatCase;
  int count(What what) const {
    return static_cast<int>(
        std::count_if(said.begin(), said.end(), [&](const auto& one) { return one.what_case() == what; }));
  }
  io::Log log{-1, "test", io::Level::error};
  std::vector<wire::PeerMessage> said;
};

}  // namespace rollcall::mbatchd
