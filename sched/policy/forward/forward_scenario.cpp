// The sections of a scenario of remote queues, in the grammar of LSF's files. Every column but the first may be missing; "-" and
// "()" mean the default.
//
//   Parameters   MC_PLUGIN_SCHEDULE_ENHANCE and others, as in lsb.params
//   Forwarding   MAX_RSCHED_TIME = SECONDS | infinit     of the sending queue; 1200 unless given
//                ROOM_FIRST = Y                          room for pending jobs comes before preemption
//                REMOTE_RESOURCE = Y                     MC_PLUGIN_REMOTE_RESOURCE of lsf.conf
//   RemoteQueue  QUEUE, TOTAL, AVAILABLE, RUNNING, PENDING, PREEMPTABLE, PRIORITY, LOWEST_PREEMPTABLE, TYPES, RESOURCES, JOB_ROOM,
//                SLOT_ROOM, AGE, STATUS, VALUES
//                QUEUE = NAME@CLUSTER, in the order of SNDJOBS_TO     TOTAL: AVAILABLE + RUNNING unless given
//                TYPES, RESOURCES = (...)      JOB_ROOM = JOBS | infinit, 50 unless given
//                SLOT_ROOM = SLOTS | infinit, infinit unless given
//                AGE = SECONDS | never         STATUS = ok | disc | reject
//                VALUES = (NAME=VALUE[,VALUE...] ...)     of resources that its cluster compares (MC_RESOURCE_MATCHING_CRITERIA)
//   ForwardJob   JOB, SLOTS, RES_REQ
//                JOB = ID [ "[" INDEX "]" ]    SLOTS = MIN [ "," MAX ]
//   Returned     JOB, QUEUE, TIMES, AGO, TOTAL, AVAILABLE, PENDING, PREEMPTABLE, JOB_ROOM, SLOT_ROOM
//                AGO = SECONDS     the numbers at the last return; those of RemoteQueue unless given
#include "sched/policy/forward/forward_scenario.hpp"

#include <map>
#include <utility>

#include "common/base/numbers.hpp"
#include "common/conf/row_reader.hpp"
#include "common/conf/words.hpp"
#include "common/resreq/resreq.hpp"
#include "sched/policy/forward/forward_terms.hpp"
#include "sched/policy/forward/verdict_text.hpp"

namespace rollcall::sched::forward {
namespace {

using conf::Row;
using conf::RowReader;

class ScenarioReader {
 public:
  ScenarioReader(std::string_view text, const std::string& name)
      : file_(conf::parse_sections(text, name, {}, problems_)) {}

  Result<ForwardScenario> read() {
    conf::check_sections(file_, {"Parameters", "Forwarding", "RemoteQueue", "ForwardJob", "Returned"},
                         problems_);
    read_parameters();
    each("Forwarding", {{}, {"MAX_RSCHED_TIME", "ROOM_FIRST", "REMOTE_RESOURCE"}},
         [this](const Row& row) { read_settings(row); });
    each("RemoteQueue",
         {{"QUEUE"},
          {"TOTAL", "AVAILABLE", "RUNNING", "PENDING", "PREEMPTABLE", "PRIORITY", "LOWEST_PREEMPTABLE",
           "TYPES", "RESOURCES", "JOB_ROOM", "SLOT_ROOM", "AGE", "STATUS", "VALUES"}},
         [this](const Row& row) { read_queue(row); });
    each("ForwardJob", {{"JOB"}, {"SLOTS", "RES_REQ"}}, [this](const Row& row) { read_job(row); });
    each("Returned",
         {{"JOB", "QUEUE"},
          {"TIMES", "AGO", "TOTAL", "AVAILABLE", "PENDING", "PREEMPTABLE", "JOB_ROOM", "SLOT_ROOM"}},
         [this](const Row& row) { read_returned(row); });
    if (problems_.all().empty()) return std::move(scenario_);
    problems_.sort();
    std::string text;  // here an unknown column or section is an error, not a warning
    for (const auto& problem : problems_.all())
      text += (text.empty() ? "" : "\n") + problem.place.text() + ": " + problem.text;
    return usage_error(text);
  }

 private:
  template <class Take>
  void each(const char* section, const conf::Keywords& keywords, const Take& take) {
    conf::each_row(file_, section, keywords, problems_, take);
  }

  void read_parameters() {
    conf::SectionFile parameters;
    for (const conf::Section* section : file_.all("Parameters")) parameters.sections.push_back(*section);
    conf::Problems found;
    scenario_.settings.choice = conf::read_lsb_params(parameters, found).forward_choice;
    // A warning is about parameters that the choice does not read.
    for (const auto& problem : found.all())
      if (problem.kind != conf::Problem::Kind::warning) problems_.error(problem.place, problem.text);
  }

  void read_settings(const Row& row) {
    RowReader cells(row, problems_);
    scenario_.settings.room_before_preemption = cells.yes_no("ROOM_FIRST").value_or(false);
    scenario_.settings.remote_resource = cells.yes_no("REMOTE_RESOURCE").value_or(false);
    const std::string word = cells.word("MAX_RSCHED_TIME");
    if (conf::same_name(word, "infinit")) return scenario_.settings.retry_after.reset();
    if (word.empty()) return;
    if (const auto time = parse_seconds(word))
      scenario_.settings.retry_after = *time;
    else
      cells.error("MAX_RSCHED_TIME", word, "seconds or infinit");
  }

  // "50" or "infinit".
  static std::optional<int> room(RowReader& cells, const char* keyword, std::optional<int> standard) {
    const std::string word = cells.word(keyword);
    if (word.empty()) return standard;
    if (conf::same_name(word, "infinit")) return std::nullopt;
    const auto number = parse_whole(word, 0, kMaxTasks);
    if (!number) cells.error(keyword, word, "a whole number or infinit");
    return number;
  }
  static int count(RowReader& cells, const char* keyword, int standard) {
    return cells.whole(keyword, 0, kMaxTasks).value_or(standard);
  }
  static Figures figures(RowReader& cells, const Figures& standard) {
    Figures figures;
    Slots& slots = figures.slots;
    slots.available = count(cells, "AVAILABLE", standard.slots.available);
    slots.running = count(cells, "RUNNING", standard.slots.running);
    slots.pending = count(cells, "PENDING", standard.slots.pending);
    slots.preemptable = count(cells, "PREEMPTABLE", standard.slots.preemptable);
    slots.total = count(cells, "TOTAL", standard.slots.total);
    figures.job_room = room(cells, "JOB_ROOM", standard.job_room);
    figures.slot_room = room(cells, "SLOT_ROOM", standard.slot_room);
    return figures;
  }

  void read_queue(const Row& row) {
    RowReader cells(row, problems_);
    RemoteQueue queue;
    const std::string name = cells.required("QUEUE");
    const std::size_t at = name.find('@');
    if (at == std::string::npos || at == 0 || at + 1 == name.size())
      return cells.error("QUEUE", name, "QUEUE@CLUSTER");
    queue.name = {name.substr(0, at), name.substr(at + 1)};
    Figures figures = ScenarioReader::figures(cells, {.slots = {}, .job_room = 50, .slot_room = {}});
    if (!row.given("TOTAL")) figures.slots.total = figures.slots.available + figures.slots.running;
    queue.priority = count(cells, "PRIORITY", 1);
    queue.lowest_preemptable = cells.whole("LOWEST_PREEMPTABLE", 0, kMaxTasks);
    queue.types = cells.words("TYPES");
    queue.booleans = cells.words("RESOURCES");
    for (const std::string& word : cells.words("VALUES")) read_values(cells, word, queue);
    if (cells.word("AGE") != "never") {
      queue.figures = figures;
      queue.age = cells.seconds("AGE").value_or(Duration{0});
    }
    const std::string status = cells.word("STATUS");
    queue.connected = status != "disc";
    if (status == "reject") queue.closed = "it takes no jobs of this cluster";
    if (!status.empty() && status != "ok" && status != "disc" && status != "reject")
      cells.error("STATUS", status, "ok, disc or reject");
    if (!queues_.emplace(name, scenario_.queues.size()).second)
      return cells.error("QUEUE", name, "each queue once");
    scenario_.queues.push_back(std::move(queue));
  }

  // All values are numbers, or all are words.
  static void read_values(RowReader& cells, const std::string& word, RemoteQueue& queue) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos || sign == 0) return cells.error("VALUES", word, "NAME=VALUE,VALUE");
    ResourceValues& values = queue.values.emplace_back();
    values.name = word.substr(0, sign);
    for (std::size_t at = sign + 1; at <= word.size();) {
      const std::size_t end = std::min(word.find(',', at), word.size());
      if (const std::string value = word.substr(at, end - at); !value.empty()) values.words.push_back(value);
      at = end + 1;
    }
    for (const std::string& value : values.words)
      if (const auto number = parse_whole(value, 0, kMaxTasks)) values.numbers.push_back(*number);
    if (values.numbers.size() == values.words.size()) return values.words.clear();
    values.numbers.clear();
  }

  static bool is_job_name(std::string_view name) {
    const std::size_t open = std::min(name.find('['), name.size());
    if (!parse_whole(name.substr(0, open), 1, kMaxTasks)) return false;
    if (open == name.size()) return true;
    return name.ends_with(']') && parse_whole(name.substr(open + 1, name.size() - open - 2), 1, kMaxTasks);
  }

  void read_job(const Row& row) {
    RowReader cells(row, problems_);
    ForwardScenario::Job job{.name = cells.required("JOB"), .asks = {}, .returns = {}};
    if (!is_job_name(job.name)) return cells.error("JOB", job.name, "ID or ID[INDEX]");
    read_slots(cells, job.asks);
    std::string words = cells.text("RES_REQ");
    if (words.size() >= 2 && words.front() == '"' && words.back() == '"')
      words = words.substr(1, words.size() - 2);
    const auto resreq = resreq::parse(words);
    if (resreq.error) return cells.error("RES_REQ", words, "a requirement: " + resreq.error->text);
    add_terms(resreq.value, indices_, "", job.asks);
    if (!jobs_.emplace(job.name, scenario_.jobs.size()).second)
      return cells.error("JOB", job.name, "each job once");
    scenario_.jobs.push_back(std::move(job));
  }

  static void read_slots(RowReader& cells, ForwardJob& job) {
    const std::string word = cells.word("SLOTS");
    if (word.empty()) return;
    const std::size_t comma = std::min(word.find(','), word.size());
    const auto least = parse_whole(word.substr(0, comma), 1, kMaxTasks);
    const auto most = comma == word.size() ? least : parse_whole(word.substr(comma + 1), 1, kMaxTasks);
    if (!least || !most || *most < *least) return cells.error("SLOTS", word, "MIN or MIN,MAX");
    job.min_slots = *least;
    job.max_slots = *most;
  }

  void read_returned(const Row& row) {
    RowReader cells(row, problems_);
    const auto job = jobs_.find(cells.required("JOB"));
    const auto queue = queues_.find(cells.required("QUEUE"));
    if (job == jobs_.end()) return cells.error("JOB", cells.word("JOB"), "one of section ForwardJob");
    if (queue == queues_.end())
      return cells.error("QUEUE", cells.word("QUEUE"), "one of section RemoteQueue");
    const auto& now = scenario_.queues[queue->second].figures;
    Returns returns{
        .times = count(cells, "TIMES", 1), .then = {}, .ago = cells.seconds("AGO").value_or(Duration{0})};
    if (now) returns.then = figures(cells, *now);
    scenario_.jobs[job->second].returns.emplace_back(queue->second, std::move(returns));
  }

  conf::Problems problems_;  // before file_, which adds to it
  conf::SectionFile file_;
  IndexTable indices_;
  ForwardScenario scenario_;
  std::map<std::string, std::size_t> queues_, jobs_;
};

std::string asked_text(const ForwardJob& job) {
  std::string text = std::to_string(job.min_slots);
  if (job.max_slots > job.min_slots) text += " to " + std::to_string(job.max_slots);
  return text + (job.max_slots == 1 ? " slot" : " slots");
}

std::string choice_text(const ForwardScenario& scenario, const ForwardScenario::Job& job) {
  std::vector<RemoteQueue> queues = scenario.queues;
  for (const auto& [place, returns] : job.returns) queues[place].returns = returns;
  const Choice choice = choose(job.asks, queues, scenario.settings);
  std::string offers;
  for (const std::size_t offer : choice.offers)
    offers += (offers.empty() ? "offered to " : ", then ") + queues[offer].name.queue + "@" +
              queues[offer].name.cluster;
  return "job " + job.name + ", " + asked_text(job.asks) + ": " + (offers.empty() ? "pends" : offers) + "\n" +
         table_of(choice, job.asks, queues, scenario.settings);
}

}  // namespace

bool has_remote_queues(std::string_view text) {
  conf::Problems ignored;
  return !conf::parse_sections(text, "", {}, ignored).all("RemoteQueue").empty();
}

Result<ForwardScenario> read_forward_scenario(std::string_view text, const std::string& name) {
  return ScenarioReader(text, name).read();
}

std::string choices_text(const ForwardScenario& scenario, std::string_view job) {
  std::string text;
  for (const ForwardScenario::Job& each : scenario.jobs)
    if (job.empty() || each.name == job) text += choice_text(scenario, each);
  if (!text.empty()) return text;
  return job.empty() ? "no job\n" : "Job <" + std::string(job) + "> is not found\n";
}

}  // namespace rollcall::sched::forward
