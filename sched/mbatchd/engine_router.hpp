// EngineRouter: mbatchd's one engine, made of several: each host belongs to one of them, and so does each daemon that calls.
//
// Owns the engines. Two pure functions choose one: of_host for orders and questions about a host, of_caller for a connection. A
// report of an engine about a host of another engine is dropped and logged, so that a faulty engine harms its own hosts only.
// main.cpp has the list of engines; RES is the only one in this release.
//
// event                    | goes to
// -------------------------+-------------------------------------------------------------------------
// order, question          | the engine of the host; no engine: dropped, and the host is not reached
// report, gone, room       | mbatchd, where the host is the reporting engine's; else dropped, logged
// opened                   | the engine of the caller; no engine: the link is closed
// message, drained, ended  | the engine that has the link; no engine: a message is an error
// configure                | all
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sched/mbatchd/engine.hpp"

namespace rollcall::mbatchd {

// An engine's place in the list.
using EngineNumber = std::size_t;

struct EngineRules {
  // `host`: the written form of a HostId. It gives the same answer as long as mbatchd runs; none: no engine.
  std::function<std::optional<EngineNumber>(const std::string& host)> of_host;
  std::function<std::optional<EngineNumber>(const io::LinkPeer&)> of_caller;
};

// Every host and every daemon belongs to the engine that is the first in the list.
EngineRules first_engine_for_all();

EngineMaker engine_router(std::vector<EngineMaker> engines, EngineRules rules);

}  // namespace rollcall::mbatchd
