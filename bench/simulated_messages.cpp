#include "bench/simulated_messages.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "common/wire/task.pb.h"

namespace rollcall::bench {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Error failed(const std::string& what) { return internal_error(what + ": " + std::strerror(errno)); }

std::string registration(std::size_t number, std::size_t per_host) {
  wire::FromStarter message;
  wire::Register& reg = *message.mutable_registration();
  const int pid = static_cast<int>(100 + 3 * (number % per_host));
  reg.set_host("sim" + std::to_string(number / per_host));
  reg.set_starter_pid(pid);
  reg.set_inner_pid(pid + 1);
  reg.set_start_time_us(std::chrono::duration_cast<std::chrono::microseconds>(
                            std::chrono::system_clock::now().time_since_epoch())
                            .count());
  reg.set_rank(static_cast<std::uint32_t>(number));
  reg.set_command("./simulated task");
  reg.set_parent_pid(99);
  reg.set_parent_name("proxy");
  reg.set_task_pid(pid + 2);
  return message.SerializeAsString();
}

std::string task_ended() {
  wire::FromStarter message;
  wire::TaskEnded& ended = *message.mutable_task_ended();
  ended.set_end_time_us(1);
  ended.mutable_usage()->set_user_us(1000);
  ended.mutable_usage()->set_peak_memory_bytes(1 << 20);
  return message.SerializeAsString();
}

in_addr address_of_pam(const Simulation& simulation, std::size_t i) {
  in_addr address{};
  const auto numeric = std::find_if(simulation.hosts.begin(), simulation.hosts.end(), [&](const auto& host) {
    return inet_pton(AF_INET, host.c_str(), &address) == 1;
  });
  const bool elsewhere =
      numeric != simulation.hosts.end() && simulation.hosts.size() == 1 && !numeric->starts_with("127.");
  if (!elsewhere) address.s_addr = htonl(0x7f000001u + static_cast<std::uint32_t>(i % 8) * 256);
  return address;
}

}  // namespace rollcall::bench
