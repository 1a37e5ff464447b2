#include "common/conf/lsb/lsb_queues.hpp"

#include <algorithm>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/without_effect.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

const std::vector<std::string> kQueueKeywords{"PRIORITY",
                                              "QJOB_LIMIT",
                                              "UJOB_LIMIT",
                                              "PJOB_LIMIT",
                                              "HJOB_LIMIT",
                                              "RUN_WINDOW",
                                              "DISPATCH_WINDOW",
                                              "NEW_JOB_SCHED_DELAY",
                                              "INTERACTIVE",
                                              "USERS",
                                              "EXCLUSIVE",
                                              "MIG",
                                              "ADMINISTRATORS",
                                              "SLOT_RESERVE",
                                              "FAIRSHARE",
                                              "PREEMPTION",
                                              "HOSTS",
                                              "SNDJOBS_TO",
                                              "RCVJOBS_FROM",
                                              "IMPT_JOBBKLG",
                                              "IMPT_SLOTBKLG",
                                              "MAX_RSCHED_TIME",
                                              "FWD_USERS",
                                              "RERUNNABLE",
                                              "CHUNK_JOB_SIZE",
                                              "JOB_OVERRUN",
                                              "JOB_UNDERRUN",
                                              "JOB_IDLE",
                                              "JOB_ACCEPT_INTERVAL"};

class QueueReader {
 public:
  QueueReader(const Row& row, const IndexTable& indices, const LimitUnit& unit, Problems& problems)
      : row_(row), indices_(indices), unit_(unit), problems_(problems), cells_(row, problems) {}

  QueueRow read() {
    QueueRow queue;
    queue.place = row_.place;
    queue.cells = row_;
    queue.name = cells_.required("QUEUE_NAME");
    queue.priority = cells_.whole("PRIORITY", 0, kMaxTasks).value_or(1);
    queue.jobs = read_job_defaults(row_, unit_, problems_);
    queue.queue_limit = cells_.whole("QJOB_LIMIT", 0, kMaxTasks);
    queue.user_limit = cells_.whole("UJOB_LIMIT", 0, kMaxTasks);
    queue.host_limit = cells_.whole("HJOB_LIMIT", 0, kMaxTasks);
    queue.processor_limit = cells_.real("PJOB_LIMIT", 0, kMaxTasks);
    queue.run_windows = cells_.windows("RUN_WINDOW");
    queue.dispatch_windows = cells_.windows("DISPATCH_WINDOW");
    queue.thresholds = read_thresholds(row_, indices_, problems_);
    queue.fairshare = fairshare();
    queue.preemption = preemption();
    queue.hosts = host_items("HOSTS", cells_.words("HOSTS"));
    // An invalid list means no host: an empty one would mean all.
    if (queue.hosts.empty() && row_.given("HOSTS")) queue.hosts = {HostItem{.name = "none"}};
    queue.users = cells_.words("USERS");
    queue.administrators = cells_.words("ADMINISTRATORS");
    queue.exclusive = exclusive();
    queue.interactive = interactive();
    queue.migrate_after = cells_.whole("MIG", 0, kMaxTasks);
    queue.reserve_slots_for = slot_reserve();
    queue.new_job_delay = cells_.whole("NEW_JOB_SCHED_DELAY", 0, kMaxSeconds);
    read_multicluster(queue);
    queue.accept_interval = cells_.real("JOB_ACCEPT_INTERVAL", 0, kMaxSeconds);
    queue.rerunnable = cells_.yes_no("RERUNNABLE").value_or(false);
    queue.overrun_minutes = cells_.whole("JOB_OVERRUN", 1, kMaxTasks);
    queue.underrun_minutes = cells_.whole("JOB_UNDERRUN", 1, kMaxTasks);
    queue.idle = cells_.real("JOB_IDLE", 0, 1);
    queue.cells = cells_in_force(row_, queue.jobs, problems_);
    queue.shown =
        shown_lines(queue.cells, {"PRE_EXEC",        "POST_EXEC",    "RES_REQ",      "REQUEUE_EXIT_VALUES",
                                  "RESUME_COND",     "STOP_COND",    "JOB_STARTER",  "JOB_CONTROLS",
                                  "TERMINATE_WHEN",  "PREEMPTION",   "RERUNNABLE",   "JOB_OVERRUN",
                                  "JOB_UNDERRUN",    "JOB_IDLE",     "SNDJOBS_TO",   "FWD_USERS",
                                  "MAX_RSCHED_TIME", "RCVJOBS_FROM", "IMPT_JOBBKLG", "IMPT_SLOTBKLG"});
    return queue;
  }

 private:
  void read_multicluster(QueueRow& queue) {
    for (const std::string& word : cells_.words("SNDJOBS_TO")) {
      const std::size_t at = word.find('@');
      if (at == std::string::npos || at == 0 || at + 1 == word.size())
        cells_.error("SNDJOBS_TO", word, "QUEUE@CLUSTER");
      else
        queue.send_jobs_to.push_back({word.substr(0, at), word.substr(at + 1)});
    }
    // LSF: a queue that borrows hosts of other clusters does not send jobs.
    const bool borrows = std::any_of(queue.hosts.begin(), queue.hosts.end(),
                                     [](const HostItem& item) { return names_borrowed(item, ""); });
    if (borrows && !queue.send_jobs_to.empty()) {
      queue.send_jobs_to.clear();
      cells_.warning("SNDJOBS_TO", cells_.text("SNDJOBS_TO"),
                     "none beside hosts of other clusters in HOSTS; the queue sends no jobs");
    }
    queue.receive_jobs_from = cells_.words("RCVJOBS_FROM");
    queue.forward_users = cells_.words("FWD_USERS");
    read_or_infinite("IMPT_JOBBKLG", queue.import_backlog);
    read_or_infinite("IMPT_SLOTBKLG", queue.import_slot_backlog);
    read_or_infinite("MAX_RSCHED_TIME", queue.max_reschedule_time);
  }

  // "20" or "infinit".
  void read_or_infinite(std::string_view keyword, std::optional<int>& target) {
    const std::string word = cells_.word(keyword);
    if (same_name(word, "infinit"))
      target.reset();
    else if (const auto value = word.empty() ? std::nullopt : parse_whole(word, 0, kMaxTasks))
      target = value;
    else if (!word.empty())
      cells_.error(keyword, word, "a whole number or infinit");
  }

  std::vector<HostItem> host_items(std::string_view keyword, const std::vector<std::string>& words) {
    auto items = parse_host_items(words);
    if (items) return *items;
    cells_.told(keyword, items.error().text);
    return {};
  }

  std::optional<std::vector<Share>> fairshare() {
    const Cell* cell = row_.given("FAIRSHARE");
    if (!cell) return std::nullopt;
    const auto blocks = parse_blocks(cell->text);
    if (!blocks || blocks->size() != 1 || !same_name(blocks->front().name, "USER_SHARES") ||
        !blocks->front().inside) {
      cells_.error("FAIRSHARE", cell->text, "USER_SHARES[[USER, SHARES] ...]");
      return std::nullopt;
    }
    const auto shares = parse_shares(*blocks->front().inside, 0);
    if (shares) return *shares;
    cells_.told("FAIRSHARE", shares.error().text);
    return std::nullopt;
  }

  Preemption preemption() {
    Preemption preemption;
    const Cell* cell = row_.given("PREEMPTION");
    if (!cell) return preemption;
    const auto blocks = parse_blocks(cell->text);
    if (!blocks) return cells_.told("PREEMPTION", blocks.error().text), preemption;
    for (const Block& block : *blocks) {
      std::string_view list = block.inside ? std::string_view(*block.inside) : std::string_view{};
      // The manual prints PREEMPTABLE[[...]] too; accept both.
      if (list.starts_with('[') && list.ends_with(']') && list.size() > 1)
        list = list.substr(1, list.size() - 2);
      auto items = host_items("PREEMPTION", split_words(list));
      if (same_name(block.name, "PREEMPTIVE"))
        preemption.preemptive = std::move(items);
      else if (same_name(block.name, "PREEMPTABLE"))
        preemption.preemptable = std::move(items);
      else
        cells_.error("PREEMPTION", block.name, "PREEMPTIVE[QUEUE ...] or PREEMPTABLE[QUEUE ...]");
    }
    return preemption;
  }

  // CU[...], after Y or alone, is of later manuals: exclusive use of compute units.
  bool exclusive() {
    const Cell* cell = row_.given("EXCLUSIVE");
    if (!cell) return false;
    const auto value = parse_yes_no(cell->text);
    if (!value && !cell->text.starts_with("CU["))
      cells_.error("EXCLUSIVE", cell->text, "Y, N or CU[TYPE]");
    else if (!value)
      cells_.warning("EXCLUSIVE", cell->text,
                     "Y: whole compute units are not kept for a job in this release");
    return value.value_or(true);
  }

  QueueRow::Interactive interactive() {
    const std::string word = cells_.word("INTERACTIVE");
    if (same_name(word, "ONLY")) return QueueRow::Interactive::only;
    const auto value = parse_yes_no(word);
    if (!value && !word.empty()) cells_.error("INTERACTIVE", word, "YES, NO or ONLY");
    return value.value_or(true) ? QueueRow::Interactive::both : QueueRow::Interactive::none;
  }

  std::optional<int> slot_reserve() {
    const Cell* cell = row_.given("SLOT_RESERVE");
    if (!cell) return std::nullopt;
    const auto blocks = parse_blocks(cell->text);
    if (blocks && blocks->size() == 1 && same_name(blocks->front().name, "MAX_RESERVE_TIME") &&
        blocks->front().inside)
      if (const auto value = parse_whole(*blocks->front().inside, 1, kMaxTasks)) return value;
    cells_.error("SLOT_RESERVE", cell->text, "MAX_RESERVE_TIME[WHOLE]");
    return std::nullopt;
  }

  const Row& row_;
  const IndexTable& indices_;
  const LimitUnit& unit_;
  Problems& problems_;
  RowReader cells_;
};

}  // namespace

std::map<std::string, Threshold> read_thresholds(const Row& row, const IndexTable& indices,
                                                 Problems& problems) {
  std::map<std::string, Threshold> thresholds;
  RowReader cells(row, problems);
  for (const auto& [keyword, cell] : row.cells()) {
    const ResourceDefinition* index = threshold_index(indices, keyword);
    if (!index || cell.is_default()) continue;
    auto value = parse_threshold(cell.text);
    if (!value) {
      cells.told(keyword, value.error().text);
      continue;
    }
    for (auto* side : {&value->schedule, &value->stop})
      if (index->name == "ut" && *side && **side > 1) **side /= 100;  // per cent
    thresholds[index->name] = *value;
  }
  return thresholds;
}

std::vector<QueueRow> read_lsb_queues(const SectionFile& file, const IndexTable& indices,
                                      const LimitUnit& unit, Problems& problems,
                                      const std::vector<std::string>& told) {
  std::vector<QueueRow> queues;
  check_sections(file, {"Queue"}, problems);
  for (const Section* section : file.all("Queue")) {
    Keywords keywords{{"QUEUE_NAME"}, kQueueKeywords};
    const auto& common = job_default_keywords();
    keywords.known.insert(keywords.known.end(), common.begin(), common.end());
    add_without_effect("lsb.queues", "Queue", keywords.known);
    keywords.known.insert(keywords.known.end(), told.begin(), told.end());
    const auto columns = threshold_keywords(*section, indices);
    keywords.known.insert(keywords.known.end(), columns.begin(), columns.end());
    if (!check_keywords(*section, keywords, problems)) continue;
    for (const Row& row : section->rows) {
      auto queue = QueueReader(row, indices, unit, problems).read();
      const auto other = std::find_if(queues.begin(), queues.end(),
                                      [&queue](const QueueRow& known) { return known.name == queue.name; });
      if (other != queues.end())
        problems.error(row.place, "QUEUE_NAME: found " + printable(queue.name) + " again (first at " +
                                      other->place.text() + "), expected each queue once");
      else if (!queue.name.empty())
        queues.push_back(std::move(queue));
    }
  }
  return queues;
}

}  // namespace rollcall::conf
