#include "common/conf/lsb/parallel_links.hpp"

namespace rollcall::conf {
namespace {

// LSF's manual writes the action in quotation marks.
std::string_view without_quotes(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
  return text;
}

}  // namespace

ParallelLinks joined(const ParallelLinks& own, const ParallelLinks& otherwise) {
  return {own.heartbeat ? own.heartbeat : otherwise.heartbeat, own.usage ? own.usage : otherwise.usage,
          own.action ? own.action : otherwise.action};
}

ParallelLinks read_parallel_links(const Row& row, RowReader& cells) {
  ParallelLinks links{cells.some_seconds("DJOB_HB_INTERVAL"), cells.some_seconds("DJOB_RU_INTERVAL"), {}};
  if (const Cell* cell = row.given("DJOB_COMMFAIL_ACTION")) {
    links.action = commfail_action(without_quotes(cell->text));
    if (!links.action) cells.error("DJOB_COMMFAIL_ACTION", cell->text, "KILL_TASKS or IGNORE_COMMFAIL");
  }
  return links;
}

}  // namespace rollcall::conf
