// Sections that exist in scenarios only. Every column but the first may be missing; "-" and "()" mean the default.
//
//   Scenario   NOW = DAY HOUR:MINUTE          DAY of Sun Mon Tue Wed Thu Fri Sat; Mon 12:00 unless given
//              LSB_DISABLE_LIMLOCK_EXCL = Y   of lsf.conf
//   Machine    HOST_NAME, STATUS, TYPE, MODEL, NCPUS, RESOURCES, LAST_START, and a column for each load index
//              STATUS = ok | words of: unavail unreach closed locked       RESOURCES = (boolean name=value ...)
//              LAST_START = SECONDS, since a job was started there
//   Borrowed   hosts of other clusters, HOST@CLUSTER: the columns of Machine, and SLOTS, WHOLE, LENT_MEM, LENT_SWP
//              SLOTS = those of the lease      WHOLE = Y: all of its slots are lent     LENT_MEM = MB that the lease exports
//              STATUS = closed_there too: its own cluster starts nothing there; inactive: its lease is being changed
//              A type or model that no Machine has is unknown here. RemoteClusters is that of lsf.cluster.
//   QueueState QUEUE, STATUS = Open:Active | Open:Inact | ...
//   Shared     RESOURCE, HOST, VALUE          what a dynamic shared resource is, by a host of the instance
//   Pending    JOB, USER, QUEUE, PROJECT, APPLICATION, SLOTS, RES_REQ, HOSTS, EXCLUSIVE, BEGIN, ARRAY_SLOTS, ORDER, AGE, HOLD,
//              EXCLUDED, RUN_LIMIT
//              JOB = ID [ "[" FIRST "-" LAST "]" ]        SLOTS = MIN [ "," MAX ]       RES_REQ = "..." as bsub -R
//              HOSTS = (...) as bsub -m       BEGIN = SECONDS from now       AGE = SECONDS since it was submitted
//              HOLD = dependency | never | stopped | admin | paused      RUN_LIMIT = SECONDS
//   Running    JOB, USER, QUEUE, PROJECT, RES_REQ, HOSTS, EXCLUSIVE, AGE, SUSPENDED, SINCE, USED_MEM, RUN_LIMIT,
//              PREEMPTIONS PREEMPTED_FOR
//              HOSTS = (4*hostA hostB)        AGE = SECONDS since it was started     SUSPENDED = (LOAD WINDOW USER ...)
//              SINCE = SECONDS since it has its state                  USED_MEM = MB
//              PREEMPTIONS = how often it was preempted before; PREEMPTED_FOR = seconds that it was preempted in all
#include "sched/policy/cycle/scenario.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "common/base/numbers.hpp"
#include "common/conf/row_reader.hpp"
#include "common/conf/words.hpp"
#include "common/resreq/merge.hpp"
#include "sched/policy/cycle/scenario_words.hpp"
#include "sched/policy/cycle/victims.hpp"
#include "sched/policy/cycle/working_state.hpp"
#include "sched/policy/values/resreq_syntax.hpp"

namespace rollcall::sched::cycle {
namespace {

constexpr std::int64_t kMostSeconds = 1'000'000'000;

const std::set<std::string> kMachineColumns{"HOST_NAME", "STATUS",    "TYPE",       "MODEL",
                                            "NCPUS",     "RESOURCES", "LAST_START", "SLOTS",
                                            "WHOLE",     "LENT_MEM",  "LENT_SWP"};

class ScenarioReader {
 public:
  ScenarioReader(std::string_view text, const std::string& name)
      : file_(conf::parse_sections(text, name, {}, problems_)), name_(name) {}

  Result<Scenario> read() {
    for (const conf::Section& section : file_.sections) note_section(section);
    if (file_.all("Machine").empty()) problems_.error({name_, 0}, "found no section Machine, expected hosts");
    if (problems_.has_errors()) return failure();
    const auto rules = make_rules();
    if (!rules) return failure();
    Scenario scenario{Snapshot(rules), now()};
    scenario_ = &scenario;
    each("Machine", [this](const conf::Row& row) { read_machine(row); });
    each("Borrowed", [this](const conf::Row& row) { read_borrowed(row); });
    each("QueueState", [this](const conf::Row& row) { read_queue(row); });
    each("Shared", [this](const conf::Row& row) { read_shared(row); });
    each("Running", [this](const conf::Row& row) { read_running(row); });
    each("Pending", [this](const conf::Row& row) { read_pending(row); });
    if (problems_.has_errors()) return failure();
    return scenario;
  }

 private:
  Error failure() const {
    std::string text;
    for (const auto& problem : problems_.all())
      if (problem.kind != conf::Problem::Kind::warning) text += (text.empty() ? "" : "\n") + problem.line();
    return usage_error(text);
  }

  template <class Take>
  void each(const char* section, const Take& take) {
    for (const conf::Section* found : file_.all(section))
      for (const conf::Row& row : found->rows) take(row);
  }

  static std::string word(const conf::Row& row, const char* keyword, std::string fallback = "") {
    const conf::Cell* cell = row.given(keyword);
    if (!cell) return fallback;
    std::string text = cell->text;
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
    return text;
  }
  static std::vector<std::string> words(const conf::Row& row, const char* keyword) {
    const conf::Cell* cell = row.given(keyword);
    return cell ? cell->words() : std::vector<std::string>{};
  }
  std::optional<double> real(const conf::Row& row, const char* keyword) {
    return conf::RowReader(row, problems_).real(keyword, -kMostSeconds, kMostSeconds);
  }
  WallTime ago(const conf::Row& row, const char* keyword) {
    const auto seconds = real(row, keyword);
    return seconds ? WallTime{scenario_->now.us - static_cast<std::int64_t>(*seconds * 1e6)} : WallTime{};
  }
  void error(const conf::Row& row, const std::string& found, const std::string& expected) {
    problems_.error(row.place, "found " + found + ", expected " + expected);
  }

  // ------------------------------------------------------------ the files that the sections are parts of

  void note_section(const conf::Section& section) {
    static const std::map<std::string, std::string> files{{"resource", "lsf.shared"},
                                                          {"resourcemap", "lsf.cluster.lab"},
                                                          {"remoteclusters", "lsf.cluster.lab"},
                                                          {"parameters", "lsb.params"},
                                                          {"queue", "lsb.queues"},
                                                          {"application", "lsb.applications"},
                                                          {"host", "lsb.hosts"},
                                                          {"hostgroup", "lsb.hosts"},
                                                          {"hostpartition", "lsb.hosts"},
                                                          {"user", "lsb.users"},
                                                          {"usergroup", "lsb.users"},
                                                          {"usermap", "lsb.users"},
                                                          {"limit", "lsb.resources"},
                                                          {"reservationusage", "lsb.resources"}};
    static const std::set<std::string> own{"scenario", "machine", "borrowed", "queuestate",
                                           "shared",   "running", "pending"};
    const std::string name = conf::lower(section.name);
    if (const auto file = files.find(name); file != files.end())
      texts_[file->second] += conf::section_text({{section}});
    else if (!own.contains(name))
      problems_.error(section.place,
                      "found section " + section.name + ", expected one of LSF's or of a scenario's");
  }

  void add_machines() {
    std::set<std::string> types, models;
    std::string hosts = "Begin Host\nHOSTNAME model type server RESOURCES\n";
    each("Machine", [&](const conf::Row& row) {
      const std::string type = word(row, "TYPE", "X86_64"), model = word(row, "MODEL", "Box");
      types.insert(type);
      models.insert(model);
      hosts += word(row, "HOST_NAME") + " " + model + " " + type + " 1 (" +
               conf::join(words(row, "RESOURCES")) + ")\n";
    });
    std::string& shared = texts_["lsf.shared"];
    std::set<std::string> clusters;
    each("Borrowed",
         [&](const conf::Row& row) { clusters.emplace(HostId(word(row, "HOST_NAME")).cluster()); });
    each("RemoteClusters", [&](const conf::Row& row) { clusters.insert(word(row, "CLUSTERNAME")); });
    shared += "Begin Cluster\nClusterName\nlab\n";
    for (const std::string& name : clusters)
      if (!name.empty()) shared += name + "\n";
    shared += "End Cluster\nBegin HostType\nTYPENAME\n";
    for (const std::string& type : types) shared += type + "\n";
    shared += "End HostType\nBegin HostModel\nMODELNAME CPUFACTOR ARCHITECTURE\n";
    for (const std::string& model : models) shared += model + " 1 ()\n";
    shared += "End HostModel\n";
    std::string& cluster = texts_["lsf.cluster.lab"];
    cluster = "Begin ClusterAdmins\nAdministrators = lsfadmin\nEnd ClusterAdmins\n" + hosts + "End Host\n" +
              cluster;
  }

  std::shared_ptr<const PlacementRules> make_rules() {
    add_machines();
    if (!texts_.contains("lsb.queues"))
      texts_["lsb.queues"] = "Begin Queue\nQUEUE_NAME = normal\nEnd Queue\n";
    if (texts_["lsb.hosts"].find("Begin Host\n") == std::string::npos)
      texts_["lsb.hosts"] += "Begin Host\nHOST_NAME MXJ\ndefault !\nEnd Host\n";
    texts_["lsb.params"];
    texts_["lsf.conf"] = "LSF_CONFDIR=/\nLSB_CONFDIR=/\n";
    each("Scenario", [this](const conf::Row& row) {
      if (word(row, "LSB_DISABLE_LIMLOCK_EXCL") == "Y") texts_["lsf.conf"] += "LSB_DISABLE_LIMLOCK_EXCL=Y\n";
    });
    const conf::FileSources sources{.read = [this](const std::string& path) -> Result<std::string> {
                                      const auto found = texts_.find(path.substr(path.rfind('/') + 1));
                                      if (found == texts_.end())
                                        return configuration_error(path + ": not a part of a scenario");
                                      return found->second;
                                    },
                                    .time = [](const std::string&) { return std::nullopt; },
                                    .env_dir = "/"};
    auto cluster = conf::read_cluster_files(sources);
    if (!take(cluster.problems)) return nullptr;
    auto lsb = conf::read_lsb_files(sources, *cluster.files);
    if (!take(lsb.problems)) return nullptr;
    return placement_rules(std::make_shared<const conf::ClusterFiles>(std::move(*cluster.files)),
                           std::make_shared<const conf::LsbFiles>(std::move(*lsb.files)), borrowed());
  }

  std::vector<HostId> borrowed() {
    std::vector<HostId> hosts;
    each("Borrowed", [&](const conf::Row& row) {
      const HostId host(word(row, "HOST_NAME"));
      if (host.ours() || host.is_cluster())
        error(row, "host " + host.text(), "HOST@CLUSTER");
      else
        hosts.push_back(host);
    });
    return hosts;
  }

  bool take(const conf::Problems& problems) {
    for (const auto& problem : problems.all())
      if (problem.kind != conf::Problem::Kind::warning) problems_.error(problem.place, problem.text);
    return !problems.has_errors();
  }

  WallTime now() {
    std::string day = "Mon", clock = "12:00";
    each("Scenario", [&](const conf::Row& row) {
      const auto given = words(row, "NOW");
      if (given.size() == 2) day = given[0], clock = given[1];
    });
    return scenario_time(day, clock);
  }

  // ------------------------------------------------------------ hosts, queues, shared resources

  const PlacementRules& rules() const { return scenario_->snapshot.rules(); }

  std::optional<HostNumber> host(const conf::Row& row, const std::string& name) {
    const auto number = rules().host(name);
    if (!number) error(row, "host " + name, "one of section Machine or Borrowed");
    return number;
  }

  void read_machine(const conf::Row& row) {
    const auto number = host(row, word(row, "HOST_NAME"));
    if (!number) return;
    Snapshot& snapshot = scenario_->snapshot;
    HostFacts facts = rules().cluster->facts(rules().hosts[*number].text());
    if (rules().borrowed(*number)) facts = borrowed_facts(row);
    facts.ncpus = static_cast<int>(real(row, "NCPUS").value_or(1));
    LoadVector load(rules().indices().size());
    for (const auto& [keyword, cell] : row.cells()) {
      if (kMachineColumns.contains(keyword)) continue;
      const auto id = rules().indices().find(keyword);
      if (!id) {
        error(row, "column " + keyword, "a load index or one of the columns of Machine");
        continue;
      }
      const auto value = real(row, keyword.c_str());
      if (value && *id == rules().indices().find("maxmem")) facts.maxmem = static_cast<std::uint64_t>(*value);
      if (value) load[*id].number = static_cast<float>(*value);
    }
    snapshot.set_facts(*number, facts);
    snapshot.set_load(*number, load);
    HostState& state = snapshot.host(*number);
    state = {.unavailable = false, .unreachable = false, .last_start = ago(row, "LAST_START")};
    for (const std::string& status : words(row, "STATUS")) {
      if (status == "unavail")
        state.unavailable = true;
      else if (status == "unreach")
        state.unreachable = true;
      else if (status == "closed")
        state.closed = true;
      else if (status == "locked")
        state.locked = true;
      else if (status == "closed_there" && rules().borrowed(*number))
        state.closed_by_provider = true;
      else if (status == "inactive" && rules().borrowed(*number))
        state.lease_inactive = true;
      else if (status != "ok")
        error(row, "status " + status, "ok, unavail, unreach, closed or locked");
    }
  }

  HostFacts borrowed_facts(const conf::Row& row) const {
    HostFacts facts;
    facts.name = word(row, "HOST_NAME");
    facts.type = word(row, "TYPE", "X86_64");
    facts.model = word(row, "MODEL", "Box");
    facts.cpu_factor = 1;
    for (const std::string& one : words(row, "RESOURCES")) {
      const std::size_t equals = one.find('=');
      if (equals == std::string::npos)
        facts.booleans.push_back(one);
      else
        facts.values[one.substr(0, equals)] = one.substr(equals + 1);
    }
    return facts;
  }

  void read_borrowed(const conf::Row& row) {
    read_machine(row);
    const auto number = rules().host(word(row, "HOST_NAME"));
    if (!number) return;
    BorrowedShare share;
    share.slots = static_cast<int>(real(row, "SLOTS").value_or(0));
    share.whole = word(row, "WHOLE") == "Y";
    share.mem_mb = real(row, "LENT_MEM");
    share.swp_mb = real(row, "LENT_SWP");
    scenario_->snapshot.set_share(*number, share);
  }

  void read_queue(const conf::Row& row) {
    const auto number = rules().queue(word(row, "QUEUE"));
    if (!number) return error(row, "queue " + word(row, "QUEUE"), "one of section Queue");
    const std::string status = word(row, "STATUS", "Open:Active");
    scenario_->snapshot.queue(*number) = {status.starts_with("Open"), status.ends_with(":Active")};
  }

  void read_shared(const conf::Row& row) {
    const auto resource = rules().indices().find(word(row, "RESOURCE"));
    const auto number = host(row, word(row, "HOST"));
    const auto instance = resource && number ? rules().instance_of(*resource, *number) : std::nullopt;
    if (!instance)
      return error(row, "resource " + word(row, "RESOURCE"), "a shared one of ResourceMap, and a host of it");
    scenario_->snapshot.set_shared(*instance, real(row, "VALUE").value_or(0));
  }

  // ------------------------------------------------------------ jobs

  std::optional<JobRange> keys_of(const conf::Row& row) {
    const std::string text = word(row, "JOB");
    const auto keys = job_range(text);
    if (!keys) error(row, "job " + text, "ID or ID[FIRST-LAST]");
    return keys;
  }

  // Merged as in the Book: the job's requirement over the profile's and the queue's, with defaults.
  std::optional<std::string> resreq_of(const conf::Row& row, const std::string& queue) {
    const auto job = resreq::parse(word(row, "RES_REQ"), resreq_syntax(rules().cluster->settings));
    const auto number = rules().queue(queue);
    if (!number || job.error) {
      error(row, number ? "RES_REQ " + word(row, "RES_REQ") : "queue " + queue,
            number ? "a requirement: " + job.error->text : "one of section Queue");
      return std::nullopt;
    }
    const auto of_queue =
        resreq::parse(rules().queues[*number].row->jobs.res_req, resreq_syntax(rules().cluster->settings));
    std::optional<resreq::ResReq> of_profile;
    if (const auto* profile = rules().lsb->application(word(row, "APPLICATION")))
      of_profile = resreq::parse(profile->jobs.res_req, resreq_syntax(rules().cluster->settings)).value;
    const auto both = resreq::job_over_files(job.value, of_profile, of_queue.value, rules().indices());
    if (both) return resreq::print(resreq::with_defaults(*both, rules().indices()));
    error(row, "RES_REQ " + word(row, "RES_REQ"), both.error().text);
    return std::nullopt;
  }

  std::optional<Demand> demand_of(const conf::Row& row, std::int32_t id) {
    Demand demand;
    demand.queue = word(row, "QUEUE", rules().queues.front().name);
    demand.user = word(row, "USER", "ann");
    demand.project = word(row, "PROJECT", "default");
    demand.application = word(row, "APPLICATION");
    const auto slots = conf::split_words(word(row, "SLOTS", "1"), ",");
    demand.min_slots = parse_whole(slots.front(), 1, kMaxTasks).value_or(1);
    demand.max_slots = parse_whole(slots.back(), demand.min_slots, kMaxTasks).value_or(demand.min_slots);
    const auto resreq = resreq_of(row, demand.queue);
    if (!resreq) return std::nullopt;
    demand.resreq = *resreq;
    demand.whole_hosts = word(row, "WHOLE_HOSTS") == "Y";
    demand.exclusive = demand.whole_hosts || word(row, "EXCLUSIVE") == "Y";
    if (const auto begin = real(row, "BEGIN"))
      demand.begin = {scenario_->now.us + static_cast<std::int64_t>(*begin * 1e6)};
    demand.array_slots = static_cast<int>(real(row, "ARRAY_SLOTS").value_or(0));
    demand.array = demand.array_slots > 0 ? id : 0;
    demand.from_type = word(row, "FROM_TYPE", "X86_64");
    return demand;
  }

  JobTimes times_of(const conf::Row& row) {
    return {static_cast<std::int64_t>(real(row, "RUN_LIMIT").value_or(0)), {}};
  }

  // The profile's values, else the queue's, else those of lsb.params, as in the Book.
  conf::PreemptionLimits preemption_of(const Demand& demand) {
    auto limits = rules().lsb->params.preemption_limits;
    limits = first_of(rules().queues[*rules().queue(demand.queue)].row->jobs.preemption_limits, limits);
    const auto* profile = rules().lsb->application(demand.application);
    return profile ? first_of(profile->jobs.preemption_limits, limits) : limits;
  }

  void read_pending(const conf::Row& row) {
    const auto keys = keys_of(row);
    auto demand = keys ? demand_of(row, keys->id) : std::nullopt;
    if (!demand) return;
    if (const auto items = conf::parse_host_items(words(row, "HOSTS")))
      demand->asked_hosts = *items;
    else
      return error(row, "HOSTS " + word(row, "HOSTS"), items.error().text);
    static const std::map<std::string, Hold> holds{
        {"", Hold::none},           {"dependency", Hold::dependency},          {"never", Hold::never},
        {"stopped", Hold::stopped}, {"admin", Hold::stopped_by_administrator}, {"paused", Hold::paused}};
    PendingJob job;
    job.demand = scenario_->snapshot.demand(*demand);
    job.order = real(row, "ORDER").value_or(keys->id);
    job.submitted = ago(row, "AGE");
    job.times = times_of(row);
    job.preempt_delay_s = preemption_of(*demand).delay_s.value_or(0);
    const auto hold = holds.find(word(row, "HOLD"));
    if (hold == holds.end())
      return error(row, "HOLD " + word(row, "HOLD"), "dependency, never, stopped, admin or paused");
    job.hold = hold->second;
    for (const std::string& name : words(row, "EXCLUDED"))
      if (const auto number = host(row, name)) job.excluded.push_back(*number);
    for (std::int32_t index = keys->first; index <= keys->last; ++index) {
      job.key = {keys->id, index};
      scenario_->snapshot.wait(job);
    }
  }

  void read_running(const conf::Row& row) {
    const auto keys = keys_of(row);
    const auto demand = keys ? demand_of(row, keys->id) : std::nullopt;
    if (!demand) return;
    Snapshot& snapshot = scenario_->snapshot;
    PlacedJob job;
    job.demand = snapshot.demand(*demand);
    job.started = real(row, "AGE") ? ago(row, "AGE") : WallTime{scenario_->now.us - 3'600'000'000};
    job.status_since = real(row, "SINCE") ? ago(row, "SINCE") : job.started;
    for (const std::string& word : words(row, "SUSPENDED")) {
      const std::uint32_t reason = suspend_reason(word);
      if (reason == 0) return error(row, "SUSPENDED " + word, "LOAD, WINDOW, USER, ADMIN, LOCKED or PREEMPT");
      job.suspended |= reason;
    }
    job.used_mem = real(row, "USED_MEM").value_or(0);
    // Reservations of its rusage count from the job's start.
    WorkingState state(snapshot, job.started);
    const Compiled& compiled = *snapshot.demands()[job.demand].compiled;
    if (!compiled.error.empty()) return error(row, "RES_REQ " + word(row, "RES_REQ"), compiled.error);
    Allocation draft;
    for (const std::string& word : words(row, "HOSTS")) {
      const std::size_t star = word.find('*');
      const int slots =
          star == std::string::npos ? 1 : parse_whole(word.substr(0, star), 1, kMaxTasks).value_or(1);
      if (const auto number = host(row, star == std::string::npos ? word : word.substr(star + 1)))
        state.add(compiled, compiled.alternatives[0], *number, slots, draft);
    }
    draft.alternative = &compiled.alternatives[0];
    job.placement = state.take(*demand, compiled, std::move(draft));
    job.placement.expected_end = expected_end(job.started, times_of(row));
    const PreemptedBefore before{
        static_cast<int>(real(row, "PREEMPTIONS").value_or(0)),
        static_cast<std::int64_t>(real(row, "PREEMPTED_FOR").value_or(0) * 1'000'000)};
    set_preemptable(preemption_of(*demand), before, times_of(row), job);
    for (std::int32_t index = keys->first; index <= keys->last; ++index) {
      job.key = {keys->id, index};
      snapshot.place(job);
    }
  }

  conf::Problems problems_;
  conf::SectionFile file_;
  std::string name_;
  std::map<std::string, std::string> texts_;  // by the file's last name
  Scenario* scenario_ = nullptr;
};

}  // namespace

Result<Scenario> read_scenario(std::string_view text, const std::string& name) {
  return ScenarioReader(text, name).read();
}

}  // namespace rollcall::sched::cycle
