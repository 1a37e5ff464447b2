#include "sched/policy/show/show_history.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "common/base/table_cells.hpp"
#include "sched/policy/show/show_job_long.hpp"
#include "sched/policy/values/elsewhere.hpp"

namespace rollcall::sched::show {
namespace {

using wire::JobEvent;

constexpr const char* kStateColumns[] = {"PEND", "PSUSP", "RUN", "USUSP", "SSUSP", "UNKWN", "TOTAL"};

std::optional<SpentIn> column_of(wire::JobStatus status) {
  switch (status) {
    case wire::STATUS_PEND:
    case wire::STATUS_WAIT:
      return SpentIn::pend;
    case wire::STATUS_PSUSP:
      return SpentIn::psusp;
    case wire::STATUS_RUN:
    case wire::STATUS_PROV:
      return SpentIn::run;
    case wire::STATUS_USUSP:
      return SpentIn::ususp;
    case wire::STATUS_SSUSP:
      return SpentIn::ssusp;
    case wire::STATUS_UNKWN:
    case wire::STATUS_ZOMBI:
      return SpentIn::unkwn;
    default:
      return std::nullopt;
  }
}

// The state that an event puts the job in; none: it leaves the state.
std::optional<wire::JobStatus> status_after(const JobEvent& event) {
  switch (event.what_case()) {
    case JobEvent::kNewJob:
      return event.new_job().asked().hold() ? wire::STATUS_PSUSP : wire::STATUS_PEND;
    case JobEvent::kStart:
      return wire::STATUS_RUN;
    case JobEvent::kStatus:
      return event.status().status() == wire::STATUS_NULL ? std::nullopt
                                                          : std::optional(event.status().status());
    case JobEvent::kRequeue:
      return wire::STATUS_PEND;
    default:
      return std::nullopt;
  }
}

bool tells_post_execution(const JobEvent::Status& status) {
  return status.post() == wire::POST_DONE || status.post() == wire::POST_ERR;
}

// When it happened. The end of a job or of an attempt has a time of its own: mbatchd may have got the report much later.
std::int64_t moment_us(const JobEvent& event) {
  const auto& status = event.status();
  const bool over = finished(status.status()) || pending(status.status());
  const bool told = over && status.end_us() > 0 && !tells_post_execution(status);
  return told ? std::min(status.end_us(), event.at_us()) : event.at_us();
}

// A difference of whole seconds, as in lsb.events, so that the states add up to bacct's times.
std::int64_t spent(std::int64_t from_us, std::int64_t to_us) {
  return std::max<std::int64_t>(0, to_us / 1'000'000 - from_us / 1'000'000) * 1'000'000;
}

// The states of a job one after the other, up to the present one.
class Stays {
 public:
  // The job was in no other state than the next one from then on, whatever was recorded before.
  void end(std::int64_t at_us) {
    while (!stays_.empty() && stays_.back().from_us >= at_us) stays_.pop_back();
    if (!stays_.empty()) stays_.back().to_us = std::min(stays_.back().to_us, at_us);
  }
  void add(SpentIn in, std::int64_t from_us, std::int64_t to_us) {
    if (to_us > from_us) stays_.push_back({in, from_us, to_us});
  }
  void sum_up(std::array<std::int64_t, 6>& spent_us) const {
    for (const auto& stay : stays_)
      spent_us[static_cast<std::size_t>(stay.in)] += spent(stay.from_us, stay.to_us);
  }

 private:
  struct Stay {
    SpentIn in;
    std::int64_t from_us, to_us;
  };
  std::vector<Stay> stays_;
};

void replay(JobHistory& job) {
  Stays stays;
  for (const auto& event : job.events) {
    if (event.has_new_job()) {
      job.asked = event.new_job().asked();
      job.queue = event.new_job().queue();
    }
    if (event.has_modify() && event.modify().has_asked()) job.asked = event.modify().asked();
    if (event.has_switched()) job.queue = event.switched().queue();
    const auto status = status_after(event);
    if (!status) continue;
    const std::int64_t at_us = moment_us(event);
    if (const auto column = column_of(job.status)) stays.add(*column, job.since_us, at_us);
    // The end of a post-execution moves no end.
    const bool again = finished(job.status) && finished(*status);
    if (!again) {
      // Heard late. Else the clock was set back, and what was spent by its old time is spent.
      if (at_us < event.at_us() || event.has_start()) stays.end(at_us);
      job.since_us = at_us;
    }
    job.status = *status;
    job.end_us = finished(*status) ? job.since_us : 0;
  }
  stays.sum_up(job.spent_us);
}

// Without a user: it is no person's word, as when a lease is withdrawn.
std::string by_words(const std::string& user) {
  return user.empty() ? " by mbatchd" : " by user or administrator <" + user + ">";
}

std::string status_words(const JobEvent::Status& status) {
  switch (status.status()) {
    case wire::STATUS_PEND:
    case wire::STATUS_PSUSP:
      return status.why().empty() ? "Pending" : "Pending: " + status.why();
    case wire::STATUS_RUN:
      return "Running";
    case wire::STATUS_USUSP:
      return "Suspended by the user or administrator";
    case wire::STATUS_SSUSP:
      return "Suspended by the system" + (status.why().empty() ? "" : ": " + status.why());
    case wire::STATUS_UNKWN:
      return status.why().empty() ? "Unknown; unable to reach the execution host"
                                  : "Unknown: " + status.why();
    case wire::STATUS_ZOMBI:
      return "Zombi; unable to reach the execution host, which is to end the job";
    default:
      return status.why();  // a note, which changes no status
  }
}

// An end takes two or three lines, each with the time.
std::vector<std::string> end_lines(const JobEvent::Status& status) {
  std::vector<std::string> lines;
  // The event of a post-execution follows that of the end, which has these lines.
  if (!tells_post_execution(status)) {
    const auto& usage = status.usage();
    lines.push_back(end_words(status.status(), status.exit_status()) + ". The CPU time used is " +
                    fixed(usage.user_s() + usage.system_s(), 1) + " seconds");
    const std::string term = term_words(status.term_reason());
    if (status.status() == wire::STATUS_EXIT)
      lines.push_back("Completed <exit>" + (term.empty() ? "" : "; " + term));
    if (!status.why().empty()) lines.push_back(status.why());
  }
  if (status.post() == wire::POST_DONE) lines.push_back("Post job process done successfully");
  if (status.post() == wire::POST_ERR) lines.push_back("Post job process failed");
  return lines;
}

std::string started_words(const JobEvent::Start& start) {
  std::string text = "Dispatched " + placed_words(start.hosts());
  // With a blank at its end, as in lsb.acct.
  return start.effective_resreq().empty() ? text
                                          : text + ", Effective RES_REQ <" + start.effective_resreq() + " >";
}

// The lines of an event; empty: bhist does not show it.
std::vector<std::string> event_lines_of(const JobHistory& job, const JobEvent& event) {
  switch (event.what_case()) {
    case JobEvent::kNewJob: {
      wire::JobRecord record;
      record.mutable_key()->set_id(job.key.id);
      record.mutable_key()->set_index(job.key.index);
      const auto& asked = event.new_job().asked();
      return {"Submitted from host <" + from_host_word(event.new_job().record(), asked) + ">, to Queue <" +
              event.new_job().queue() + ">" + asked_words(record, asked, false)};
    }
    case JobEvent::kForward:
      return {"Forwarded job to cluster " + event.forward().cluster() + ", queue <" +
              event.forward().queue() + ">" +
              (event.forward().why().empty() ? "" : "; " + event.forward().why())};
    case JobEvent::kAccept:
      if (event.accept().came())
        return {"Accepted from cluster " + event.accept().cluster() + " as its job <" +
                text(key_of(event.accept().there())) + ">, queue <" + event.accept().queue() + ">"};
      return {"Accepted by cluster " + event.accept().cluster() + " as job <" +
              text(key_of(event.accept().there())) + ">, queue <" + event.accept().queue() + ">"};
    case JobEvent::kStart:
      return {started_words(event.start())};
    case JobEvent::kStartAccept:
      return {"Starting (Pid " + std::to_string(event.start_accept().pid()) + ")"};
    case JobEvent::kExecute:
      return {"Running with execution home <" + event.execute().home() + ">, Execution CWD <" +
              event.execute().cwd() + ">, Execution Pid <" + std::to_string(event.execute().pid()) + ">"};
    case JobEvent::kStatus:
      if (finished(event.status().status())) return end_lines(event.status());
      if (const auto words = status_words(event.status()); !words.empty()) return {words};
      return {};
    case JobEvent::kSignal:
      return {"Signal <" + event.signal().symbol() + "> requested" + by_words(event.signal().user()) +
              (event.signal().reason().empty() ? "" : ", with reason <" + event.signal().reason() + ">")};
    case JobEvent::kSwitched:
      return {"Switched to queue <" + event.switched().queue() + ">" + by_words(event.switched().user())};
    case JobEvent::kMove:
      return {"Job moved to position " + std::to_string(event.move().position()) + " relative to <" +
              (event.move().to_bottom() ? "bottom" : "top") + ">" + by_words(event.move().user())};
    case JobEvent::kRequeue:
      return {"Pending: job was requeued" +
              (event.requeue().user().empty() ? "" : by_words(event.requeue().user()))};
    case JobEvent::kModify:
      return {"Parameters of Job are changed: " + event.modify().changes() + by_words(event.modify().user())};
    default:
      return {};
  }
}

// An end that is heard late stands before what was recorded meanwhile, but never before the start: a host's clock may be behind.
bool comes_before(const JobEvent& event, const JobEvent& recorded) {
  const bool starts =
      recorded.has_new_job() || recorded.has_start() || recorded.has_start_accept() || recorded.has_execute();
  return !starts && moment_us(event) / 1'000'000 < moment_us(recorded) / 1'000'000;
}

// How an attempt stood, as far as was known. UNKWN stays true: the host or its cluster was not heard.
bool tells_how_it_runs(const JobEvent* event) {
  const auto status = event->status().status();
  return event->has_status() &&
         (status == wire::STATUS_RUN || status == wire::STATUS_USUSP || status == wire::STATUS_SSUSP);
}

bool ends_an_attempt(const JobEvent& event) {
  return event.has_finish() || (event.has_status() && event.status().end_us() != 0);
}

// Without what was recorded of an attempt after its end: the end was heard later.
std::vector<const JobEvent*> in_order(const JobHistory& job) {
  std::vector<const JobEvent*> events;
  for (const auto& event : job.events) {
    auto at = events.end();
    while (at != events.begin() && comes_before(event, **std::prev(at))) --at;
    at = events.insert(at, &event);
    if (!ends_an_attempt(event)) continue;
    events.erase(std::remove_if(std::next(at), events.end(), tells_how_it_runs), events.end());
  }
  return events;
}

const wire::JobUsage* last_usage(const JobHistory& job) {
  const wire::JobUsage* usage = nullptr;
  for (const auto& event : job.events) {
    if (event.has_status() && event.status().has_usage()) usage = &event.status().usage();
    if (event.has_finish() && event.finish().record().has_usage()) usage = &event.finish().record().usage();
  }
  return usage;
}

std::string history_title(const JobHistory& job) {
  wire::JobRecord record;
  record.mutable_key()->set_id(job.key.id);
  record.mutable_key()->set_index(job.key.index);
  return job_title(record, job.asked) + ", Command <" + job.asked.command() + ">";
}

// `width` columns each; the last one is not padded.
std::string cells(const std::array<std::string, 7>& values, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += i + 1 < values.size() ? left(values[i], width) : values[i];
  return text;
}

std::array<std::string, 7> words_of(const std::array<std::int64_t, 7>& seconds) {
  std::array<std::string, 7> words;
  std::transform(seconds.begin(), seconds.end(), words.begin(),
                 [](std::int64_t s) { return std::to_string(s); });
  return words;
}

}  // namespace

std::array<std::int64_t, 7> JobHistory::seconds(WallTime now) const {
  auto total = spent_us;
  if (const auto column = column_of(status))
    total[static_cast<std::size_t>(*column)] += spent(since_us, now.us);
  std::array<std::int64_t, 7> seconds{};
  for (std::size_t i = 0; i < total.size(); ++i) {
    seconds[i] = total[i] / 1'000'000;
    seconds[6] += seconds[i];
  }
  return seconds;
}

void Histories::add(const wire::JobEvent& event) {
  if (!event.has_key()) return;
  auto& family = families_[event.key().id()];
  (event.key().index() == 0 ? family.common : family.elements[event.key().index()]).push_back(event);
}

std::vector<JobHistory> Histories::jobs() const {
  std::vector<JobHistory> jobs;
  for (const auto& entry : families_) {
    const std::int32_t id = entry.first;
    const auto& family = entry.second;
    const auto add = [&](std::int32_t index, const std::vector<wire::JobEvent>& own) {
      JobHistory job;
      job.key = {id, index};
      job.events = family.common;
      job.events.insert(job.events.end(), own.begin(), own.end());
      std::stable_sort(job.events.begin(), job.events.end(),
                       [](const auto& a, const auto& b) { return a.at_us() < b.at_us(); });
      replay(job);
      jobs.push_back(std::move(job));
    };
    if (family.elements.empty()) add(0, {});
    for (const auto& [index, own] : family.elements) add(index, own);
  }
  return jobs;
}

std::string history_header() {
  return "Summary of time in seconds spent in various states:\n"
         "JOBID   USER    JOB_NAME  PEND    PSUSP   RUN     USUSP   SSUSP   UNKWN   TOTAL\n";
}

std::string history_row(const JobHistory& job, bool wide, WallTime now) {
  constexpr std::size_t kName = 8;
  std::string name = job.asked.job_name().empty() ? job.asked.command() : job.asked.job_name();
  if (job.key.index > 0) name += "[" + std::to_string(job.key.index) + "]";
  if (!wide && name.size() > kName) name = "*" + name.substr(name.size() - kName + 1);
  return left(text(job.key), 7) + " " + left(wide ? job.asked.user() : job.asked.user().substr(0, 7), 7) +
         " " + (wide ? left(name, 9) + " " : left(name, 10)) + cells(words_of(job.seconds(now)), 8) + "\n";
}

std::string history_record(const JobHistory& job, WallTime now) {
  std::string name = job.asked.job_name().empty() ? job.asked.command() : job.asked.job_name();
  if (job.key.index > 0) name += "[" + std::to_string(job.key.index) + "]";
  JsonRecord record{{"JOBID", text(job.key)},
                    {"USER", job.asked.user()},
                    {"JOB_NAME", std::move(name)},
                    {"STAT", std::string(status_word(job.status))}};
  const auto seconds = words_of(job.seconds(now));
  for (std::size_t i = 0; i < seconds.size(); ++i) record.emplace_back(kStateColumns[i], seconds[i]);
  return json_record(record);
}

std::string history_block(const JobHistory& job, Wrapping wrapping, const ShowTime& time) {
  std::string text = "\n" + paragraph(history_title(job), wrapping);
  for (const auto* event : in_order(job))
    for (const auto& line : event_lines_of(job, *event))
      text += paragraph(time.at(moment_us(*event)) + ": " + line + ";", wrapping);
  text += "\n\n";
  if (const auto* usage = last_usage(job); usage != nullptr && usage->max_memory_kb() > 0)
    text += "MEMORY USAGE:\nMAX MEM: " + bytes_words(usage->max_memory_kb()) +
            ";  AVG MEM: " + bytes_words(usage->average_memory_kb()) + "\n\n";
  const std::int64_t until = job.end_us > 0 ? moment_us(job.events.back()) : time.now.us;
  text += "Summary of time in seconds spent in various states by  " + time.at(until) + "\n  ";
  std::array<std::string, 7> titles;
  std::copy(std::begin(kStateColumns), std::end(kStateColumns), titles.begin());
  return text + cells(titles, 9) + "\n  " + cells(words_of(job.seconds(time.now)), 9) + "\n";
}

std::string history_by_time(const std::vector<JobHistory>& jobs, std::int64_t from_us, std::int64_t to_us,
                            Wrapping wrapping, const ShowTime& time) {
  struct At {
    const JobHistory* job;
    const wire::JobEvent* event;
  };
  std::vector<At> all;
  for (const auto& job : jobs)
    for (const auto& event : job.events)
      if (event.at_us() >= from_us && (to_us == 0 || event.at_us() <= to_us)) all.push_back({&job, &event});
  std::stable_sort(all.begin(), all.end(),
                   [](const At& a, const At& b) { return a.event->at_us() < b.event->at_us(); });
  std::string text;
  for (const auto& [job, event] : all)
    for (const auto& line : event_lines_of(*job, *event))
      text += paragraph(time.at(event->at_us()) + ": Job <" + sched::text(job->key) + ">: " + line + ";",
                        wrapping);
  return text;
}

void at_speed(JobHistory& job, double speed) {
  double own = 1;
  for (auto& event : job.events) {
    if (event.has_start() && event.start().cpu_factor() > 0) own = event.start().cpu_factor();
    if (event.has_status() && event.status().has_usage())
      at_speed(*event.mutable_status()->mutable_usage(), own, speed);
    if (event.has_finish() && event.finish().record().has_usage())
      at_speed(*event.mutable_finish()->mutable_record()->mutable_usage(), own, speed);
  }
}

JobDevices gpus_of(const JobHistory& job) {
  JobDevices gpus;
  for (const auto& event : job.events)
    if (event.has_finish()) gpus = devices_of(event.finish().record());
  return gpus;
}

std::string system_line(const wire::JobEvent& event, const ShowTime& time) {
  using Control = wire::ControlBatch;
  const auto by = [](const auto& told) {
    return " by administrator <" + told.user() + ">" +
           (told.comment().empty() ? "." : " with comment <" + told.comment() + ">.");
  };
  std::string text;
  if (event.has_queue_control()) {
    const auto& told = event.queue_control();
    const char* what = told.operation() == Control::QUEUE_OPEN       ? "opened"
                       : told.operation() == Control::QUEUE_CLOSE    ? "closed"
                       : told.operation() == Control::QUEUE_ACTIVATE ? "activated"
                                                                     : "inactivated";
    text = "Queue <" + told.queue() + "> " + what + by(told);
  } else if (event.has_host_control()) {
    const auto& told = event.host_control();
    const char* what = told.operation() == Control::WRITE_OFF_CLUSTERS ? "written off"
                       : told.operation() == Control::FORGET_CLUSTERS  ? "accepted"
                       : told.operation() == Control::HOST_OPEN        ? "opened"
                                                                       : "closed";
    const char* of = told.operation() == Control::WRITE_OFF_CLUSTERS ? "Jobs of host <"
                     : told.operation() == Control::FORGET_CLUSTERS  ? "Store of host <"
                                                                     : "Host <";
    text = of + told.host() + "> " + what + by(told);
  } else if (event.has_mbd_start()) {
    const auto& told = event.mbd_start();
    text = "mbatchd started on host <" + told.host() + ">; cluster name <" + told.cluster() + ">, " +
           std::to_string(told.hosts()) + " server hosts, " + std::to_string(told.queues()) + " queues.";
  } else if (event.has_mbd_die()) {
    text = "mbatchd on host <" + event.mbd_die().host() + "> died.";
  }
  return text.empty() ? "" : time.at(event.at_us()) + ": " + text + "\n";
}

}  // namespace rollcall::sched::show
