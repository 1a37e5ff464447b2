// bkill, bstop, bresume, brequeue, brun, bswitch, btop, bbot: orders to jobs. Each job's outcome is a line of mbatchd's.
#include <algorithm>

#include "common/base/exit_status.hpp"
#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "sched/client/orders.hpp"
#include "sched/client/questions.hpp"
#include "sched/commands/asking.hpp"
#include "sched/commands/query_commands.hpp"

namespace rollcall::sched {
namespace {

using Value = CommandOption::Value;

// The jobs of an order: ids, 0 for all that match the options, or (options alone) the matching job that was submitted
// last. None: the error was printed.
class Target {
 public:
  Target(io::Stage& stage, const CommandWords& words, const std::vector<std::string>& operands)
      : stage_(stage), words_(words), operands_(operands) {}

  bool choose(client::Session& session, wire::JobFilter& filter) {
    const auto ids = named_jobs(stage_, operands_, filter);
    if (!ids) return false;
    missing_ = ids->missing;
    take_job_options(words_, filter);
    if (ids->any || words_.has("-stat")) return true;
    if (!some_option()) {
      stage_.fail("Job ID, 0 for all jobs, or one of -J -q -m -u -g -app must be specified");
      return false;
    }
    return newest(session, filter);
  }

  // That of the command, where its order ended with `status`.
  int status(int status) const { return missing_ ? io::kFailed : status; }

 private:
  bool some_option() const {
    const auto options = job_options();
    return std::any_of(options.begin(), options.end(), [this](const auto& o) { return words_.has(o.name); });
  }

  bool newest(client::Session& session, wire::JobFilter& filter) {
    auto key = client::newest_job(session, filter);
    if (!key) return failed(stage_, key.error()), false;
    *filter.add_keys() = std::move(*key);
    return true;
  }

  io::Stage& stage_;
  const CommandWords& words_;
  const std::vector<std::string>& operands_;
  bool missing_ = false;
};

int signal_jobs(io::Stage& stage, const CommandWords& words, wire::SignalJobs order) {
  auto session = client_of(stage);
  if (!session) return io::kFailed;
  Target target(stage, words, words.operands());
  if (!target.choose(*session, *order.mutable_filter())) return io::kFailed;
  return target.status(print_outcomes(stage, client::signal_jobs(*session, std::move(order))));
}

std::string all_signals() {
  std::string names;
  for (int signal = 1; signal <= 31; ++signal) names += (signal == 1 ? "" : " ") + signal_name(signal);
  return names + "\n";
}

// -s: a signal that LSF gives a meaning of its own is that order.
bool take_signal(io::Stage& stage, const std::string& word, wire::SignalJobs& order) {
  const int signal = signal_number(word);
  if (signal == 0) {
    stage.fail("-s: found the signal " + printable(word) + ", expected a name or number of bkill -l");
    return false;
  }
  const std::string name = signal_name(signal);
  if (name == "STOP" || name == "TSTP") {
    order.set_action(wire::SignalJobs::STOP);
  } else if (name == "CONT") {
    order.set_action(wire::SignalJobs::RESUME);
  } else {
    order.set_action(wire::SignalJobs::SEND);  // KILL too: at once, without INT and TERM before it
  }
  order.set_signal(signal);
  return true;
}

// bkill -stat: as bjobs has them.
bool take_states(io::Stage& stage, const std::string& word, wire::JobFilter& filter) {
  std::vector<wire::JobStatus> states;
  if (word == "run") states = {wire::STATUS_RUN, wire::STATUS_UNKWN};
  if (word == "pend") states = {wire::STATUS_PEND, wire::STATUS_PSUSP, wire::STATUS_WAIT};
  if (word == "susp") states = {wire::STATUS_PSUSP, wire::STATUS_USUSP, wire::STATUS_SSUSP};
  for (const auto state : states) filter.add_statuses(state);
  if (states.empty()) stage.fail("-stat: found " + printable(word) + ", expected run, pend or susp");
  return !states.empty();
}

int bkill(io::Stage& stage, const CommandWords& words) {
  if (words.has("-l")) return stage.print(all_signals());
  wire::SignalJobs order;
  order.set_action(wire::SignalJobs::KILL);
  if (const auto signal = words.value("-s"); signal && !take_signal(stage, *signal, order))
    return io::kFailed;
  if (const auto states = words.value("-stat");
      states && !take_states(stage, *states, *order.mutable_filter()))
    return io::kFailed;
  if (words.has("-r")) order.set_action(wire::SignalJobs::REMOVE);
  if (words.has("-requeue")) order.set_action(wire::SignalJobs::REQUEUE);
  order.set_reason(words.value("-C").value_or(""));
  order.set_only_done(words.has("-d"));
  return signal_jobs(stage, words, std::move(order));
}

int bstop(io::Stage& stage, const CommandWords& words) {
  wire::SignalJobs order;
  order.set_action(wire::SignalJobs::STOP);
  order.set_reason(words.value("-C").value_or(""));
  return signal_jobs(stage, words, std::move(order));
}

int bresume(io::Stage& stage, const CommandWords& words) {
  wire::SignalJobs order;
  order.set_action(wire::SignalJobs::RESUME);
  order.set_reason(words.value("-C").value_or(""));
  return signal_jobs(stage, words, std::move(order));
}

int brequeue(io::Stage& stage, const CommandWords& words) {
  wire::SignalJobs order;
  order.set_action(wire::SignalJobs::REQUEUE);
  const bool all = words.has("-a");
  const bool some = words.has("-d") || words.has("-e") || words.has("-r");
  order.set_done_too(all || words.has("-d"));
  order.set_exit_too(all || words.has("-e"));
  order.set_running_too(all || words.has("-r") || !some);
  order.set_hold(words.has("-H"));
  return signal_jobs(stage, words, std::move(order));
}

int brun(io::Stage& stage, const CommandWords& words) {
  wire::SignalJobs order;
  order.set_action(wire::SignalJobs::FORCE);
  auto session = client_of(stage);
  if (!session) return io::kFailed;
  const auto ids = named_jobs(stage, words.operands(), *order.mutable_filter());
  if (!ids) return io::kFailed;
  if (!ids->any || ids->all) return stage.fail("found no job, expected the ID of one");
  std::string hosts = words.value("-m").value_or("");
  for (std::size_t at = 0; at < hosts.size();) {
    const auto end = std::min(hosts.find(' ', at), hosts.size());
    if (end > at) order.add_hosts(hosts.substr(at, end - at));
    at = end + 1;
  }
  if (order.hosts_size() == 0)
    return stage.fail("-m: found no host, expected those that the job is to run on");
  return print_outcomes(stage, client::signal_jobs(*session, std::move(order)));
}

int bswitch(io::Stage& stage, const CommandWords& words) {
  if (words.operands().empty()) return stage.fail("found no queue, expected bswitch QUEUE JOB_ID ...");
  auto session = client_of(stage);
  if (!session) return io::kFailed;
  wire::SwitchJobs order;
  order.set_queue(words.operands().front());
  const std::vector<std::string> ids(words.operands().begin() + 1, words.operands().end());
  Target target(stage, words, ids);
  if (!target.choose(*session, *order.mutable_filter())) return io::kFailed;
  return target.status(print_outcomes(stage, client::switch_jobs(*session, std::move(order))));
}

int move(io::Stage& stage, const CommandWords& words, bool to_bottom) {
  const auto& operands = words.operands();
  if (operands.empty() || operands.size() > 2) return stage.fail("found no job, expected JOB_ID [position]");
  wire::JobFilter filter;
  if (!named_jobs(stage, {operands.front()}, filter)) return io::kFailed;
  if (filter.keys_size() != 1)
    return stage.fail("found " + printable(operands.front()) + ", expected one job");
  wire::MoveJob order;
  *order.mutable_key() = filter.keys(0);
  order.set_to_bottom(to_bottom);
  order.set_position(1);
  if (operands.size() == 2) {
    const auto position = parse_whole(operands[1], 1, 2147483647);
    if (!position) return stage.fail("found the position " + printable(operands[1]) + ", expected 1 or more");
    order.set_position(*position);
  }
  auto session = client_of(stage);
  return session ? print_outcomes(stage, client::move_job(*session, std::move(order))) : io::kFailed;
}

const std::vector<RefusedOptions> kNotForJobs{
    {"-cname", "a command is given in the cluster where the job was submitted"}};

io::Command job_command(const char* name, const char* operands, std::vector<CommandOption> own,
                        const char* summary, int (*run)(io::Stage&, const CommandWords&)) {
  auto options = job_options();
  std::erase_if(options, [&own](const auto& option) {
    return std::any_of(own.begin(), own.end(), [&](const auto& mine) { return mine.name == option.name; });
  });
  options.insert(options.begin(), own.begin(), own.end());
  return {{name, operands, std::move(options), CommandShape::Order::anywhere, summary, kNotForJobs}, run, {}};
}

constexpr const char* kIds = "[job_id | job_id[index_list] ... | 0]";

}  // namespace

std::vector<io::Command> order_commands() {
  const CommandOption reason{"-C", Value::required, "REASON why, for bjobs -l and bhist"};
  auto bswitch_command = job_command("bswitch", "queue [job_id | job_id[index_list] ... | 0]", {},
                                     "Moves jobs to another queue.", bswitch);
  bswitch_command.shape.refused.push_back({"-a", "esubs run when a job is submitted"});
  return {
      job_command("bkill", kIds,
                  {{"-s", Value::required, "SIGNAL send this one instead: a name or a number"},
                   {"-r", Value::none, "remove the job, whatever its host says"},
                   {"-d", Value::none, "end a job as done"},
                   {"-requeue", Value::none, "and put it back into its queue"},
                   {"-b", Value::none, "many at once: it is always done so"},
                   {"-stat", Value::required, "STATE only jobs that run, pend or susp"},
                   {"-l", Value::none, "list the signals"},
                   reason},
                  "Ends jobs, or sends them a signal. 0 means all of yours.", bkill),
      job_command("bstop", kIds, {{"-a", Value::none, "all: it is always so"}, reason},
                  "Suspends jobs that run, and holds jobs that pend.", bstop),
      job_command("bresume", kIds, {reason}, "Lets jobs go on that bstop has suspended.", bresume),
      job_command("brequeue", kIds,
                  {{"-d", Value::none, "jobs that are done"},
                   {"-e", Value::none, "jobs that have exited"},
                   {"-r", Value::none, "jobs that run (also where nothing is said)"},
                   {"-a", Value::none, "all of these"},
                   {"-H", Value::none, "held: bresume lets them go"},
                   {"-p", Value::none, "jobs that pend are left where they are"}},
                  "Puts jobs back into their queue; they keep their IDs.", brequeue),
      {{"brun",
        "job_id ...",
        {{"-m", Value::required, "HOSTS where: \"hostA hostB\""},
         {"-f", Value::none, "without regard to windows: it is always so"}},
        CommandShape::Order::anywhere,
        "Has pending jobs run at once on the named hosts. For administrators.",
        {{"-b", "jobs are not checkpointed"}, {"-c", "slots are shared out evenly among the hosts"}}},
       brun,
       {}},
      std::move(bswitch_command),
      {{"btop",
        "job_id [position]",
        {},
        CommandShape::Order::anywhere,
        "Moves a pending job to the front of its queue."},
       [](io::Stage& stage, const CommandWords& words) { return move(stage, words, false); },
       {}},
      {{"bbot",
        "job_id [position]",
        {},
        CommandShape::Order::anywhere,
        "Moves a pending job to the end of its queue."},
       [](io::Stage& stage, const CommandWords& words) { return move(stage, words, true); },
       {}},
  };
}

}  // namespace rollcall::sched
