// mbatchd that knows the key of another cluster, "east": 32 bytes of 0x51. For tests/io/sched/mbatchd_peers_test.cpp.
#include "common/io/cluster_keys.hpp"
#include "common/io/daemon_start.hpp"
#include "common/io/sqlite_job_store.hpp"
#include "sched/mbatchd/daemon.hpp"
#include "sched/mbatchd/engine_router.hpp"
#include "sched/mbatchd/res_engine.hpp"

namespace {

using namespace rollcall;

io::PeerKey east() {
  io::PeerKey peer{"east", {}};
  peer.key.secret.fill(0x51);
  peer.key.public_half = io::cluster::public_half(io::cluster::exchange_scalar(peer.key.secret));
  return peer;
}

int run(const io::DaemonOptions& options, const io::DaemonProgram&, io::Starter& starter) {
  io::Log log(STDERR_FILENO, "mbatchd", io::Level::debug);
  const auto loaded = mbatchd::load_configuration(options.env_dir);
  if (!loaded.configuration) return starter.tell(loaded.errors.front()), 1;
  const auto engine = mbatchd::engine_router({mbatchd::make_res_engine}, mbatchd::first_engine_for_all());
  const auto end =
      mbatchd::run_daemon({options.env_dir, loaded.configuration, {}, {east()}},
                          {engine, io::open_sqlite_job_store}, log, [&starter] { starter.tell("ready"); });
  if (!end) return starter.tell(end.error().text), 1;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return io::daemon_main({"mbatchd", "", "mbatchd of a test"}, argc, argv, run);
}
