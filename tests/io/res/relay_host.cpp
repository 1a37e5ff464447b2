// relay_host JOB: the relay of a job's shepherd, without a job: it can be killed and nothing else dies of that. Says the name
// of its relay on standard output when it listens, and serves until it is killed.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "common/io/task_relay.hpp"
#include "res/policy/relay_name.hpp"
#include "res/shepherd/clocks.hpp"

int main(int argc, char** argv) {
  using namespace rollcall;
  wire::JobOrder order;
  order.set_task_relay(true);
  order.set_uid(geteuid());
  order.mutable_settings()->set_cluster("relay_host");
  order.mutable_start()->mutable_job()->mutable_key()->set_id(argc > 1 ? std::atoi(argv[1]) : 1);
  io::TaskRelay relay;
  relay.listen(res::relay_name(order));
  if (relay.name().empty()) return std::perror("relay_host: cannot listen"), 1;
  std::printf("%s\n", relay.name().c_str());
  std::fflush(stdout);
  for (std::vector<pollfd> fds;; fds.clear()) {
    relay.add_to(fds);
    const auto due = relay.next_deadline();
    const auto left =
        due ? std::chrono::ceil<std::chrono::milliseconds>(*due - res::steady_now()).count() : -1;
    poll(fds.data(), fds.size(), due ? static_cast<int>(std::max<long>(left, 0)) : -1);
    relay.turn(fds, res::steady_now());
  }
}
