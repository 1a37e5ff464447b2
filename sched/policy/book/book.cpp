#include "sched/policy/book/book.hpp"

#include <algorithm>
#include <utility>

#include "sched/policy/book/book_memory.hpp"
#include "sched/policy/values/gpus.hpp"

namespace rollcall::sched::book {

Book::Book()
    : memory_(std::make_unique<Memory>()),
      jobs_(*memory_),
      commands_(*memory_, jobs_),
      hosts_(*memory_, jobs_),
      forwards_(*memory_, jobs_),
      rows_(*memory_, jobs_) {}
Book::~Book() = default;

Effects Book::configure(ConfigView config, WallTime now) {
  Memory& m = *memory_;
  if (!config.borrowed) config.borrowed = m.config.borrowed;  // leases outlive files
  m.config = std::move(config);
  m.parameters = jobs::book_parameters(m.config);
  m.forget_resreqs();
  m.gpu_resource = sched::gpu_resource(*m.config.cluster);
  m.rules.clear();
  for (auto& [id, entry] : m.ids) m.time_id(id);
  m.hosts.each_link([&m](HostNumber host, const HostLink&) { m.time_host(host); });
  (void)now;
  return {effect::ScheduleSoon{}};
}

void Book::set_term(std::uint64_t term) { memory_->term = term; }
std::uint64_t Book::term() const { return memory_->term; }

}  // namespace rollcall::sched::book
