// ResEngine: RES runs the jobs on their hosts: the one engine there is now. It turns orders into RES's messages and what RES
// says into reports (res_translation.hpp); its connections are res_links.hpp's.
//
// It keeps nothing of a job: an order for a host that is not connected is dropped, since what still counts of it comes again
// when RES says what it holds.
#pragma once

#include "sched/mbatchd/engine.hpp"

namespace rollcall::mbatchd {

std::unique_ptr<Engine> make_res_engine(EngineSetup setup);

}  // namespace rollcall::mbatchd
