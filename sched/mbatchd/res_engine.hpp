// ResEngine: the engine whose jobs RES runs on the hosts. It turns orders into messages for RES and messages of RES into reports
// (res_translation.hpp); res_links.hpp has its connections.
//
// It keeps nothing of a job. An order for a host that is not connected is dropped: the Book orders again what is still due when RES
// connects and lists its jobs.
#pragma once

#include "sched/mbatchd/engine.hpp"

namespace rollcall::mbatchd {

std::unique_ptr<Engine> make_res_engine(EngineSetup setup);

}  // namespace rollcall::mbatchd
