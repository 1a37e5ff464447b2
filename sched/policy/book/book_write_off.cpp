// The Book: a cluster that will never answer is written off (badmin hforget -jobs).
#include <algorithm>
#include <utility>

#include "sched/policy/book/book_memory.hpp"
#include "sched/policy/book/forwarded_jobs.hpp"

namespace rollcall::sched::book {
namespace {

constexpr std::size_t kMostLines = 1000;

std::string written_off_text(const std::string& cluster) {
  return "cluster " + cluster + " was written off by an administrator";
}

effect::RecordEvent recorded_control(const std::string& cluster, wire::ControlBatch::Action action,
                                     const Identity& who, WallTime now) {
  wire::JobEvent event;
  auto& told = *event.mutable_host_control();
  told.set_host(HostId::whole_cluster(cluster).text());
  told.set_operation(action);
  told.set_user(who.user);
  told.set_uid(who.uid);
  event.set_at_us(now.us);
  return {std::move(event)};
}

class WritingOff {
 public:
  WritingOff(Memory& memory, const std::string& cluster, const Identity& who, bool only_say, WallTime now)
      : m_(memory), cluster_(cluster), only_say_(only_say), now_(now), who_(who) {}

  ForwardedJobs::Done result;

  // A job of ours that is there.
  void ours(BookEntry& entry) {
    const wire::ForwardedTo& forwarded = entry.job->record.forwarded();
    std::string there = "Job <" + text(entry.job->key()) + ">";
    there += entry.job->record.started() ? " runs in cluster <" : " waits in cluster <";
    there += cluster_ + ">" +
             (forwarded.has_there() ? " as job <" + text(key_of(forwarded.there().key())) + ">" : "");
    const wire::JobStatus status = after(entry, event::WrittenOff{});
    say(std::move(there) + (finished(status)              ? ": its result is lost, it ends as EXIT"
                            : entry.job->record.started() ? ": its result is lost, it pends here again"
                                                          : ": it pends here again"));
    if (!only_say_) m_.step(entry, event::WrittenOff{}, now_, result.effects);
  }

  // A job of ours on hosts that the cluster lends, or a part of one.
  void on_lent_hosts(BookEntry& entry) {
    const wire::JobRecord& record = entry.job->record;
    const HostId first(record.hosts(0).name());
    if (first.cluster() == cluster_) return on_first_host(entry);
    std::string host;
    for (const auto& each : record.hosts())
      if (HostId(each.name()).cluster() == cluster_) host = each.name();
    const event::PartLost lost{host, written_off_text(cluster_), false};
    say("Job <" + text(entry.job->key()) + "> has a part in cluster <" + cluster_ +
        ">: " + (pending(after(entry, lost)) ? "it pends here again" : "it is ended"));
    if (!only_say_) m_.step(entry, lost, now_, result.effects);
  }

  // A job of ours that ended there; the end of its post-execution was still to be told.
  void post_open(BookEntry& entry) {
    say("Job <" + text(entry.job->key()) + "> has ended in cluster <" + cluster_ +
        ">: the result of its post-execution is lost, it counts as failed");
    if (!only_say_) m_.step(entry, event::PostEnded{true}, now_, result.effects);
  }

  // A job of ours that has ended here; whether that cluster had taken its part back was still to be told.
  void end_held(const JobKey key, const HeldEnd& held) {
    say("Job <" + text(key) + "> has ended here while its part in cluster <" + cluster_ +
        "> was out of reach" +
        (held.awaits.size() > 1 ? ": others of its parts are still awaited" : ": the end counts as it is"));
  }
  void ends_are_awaited_no_more() {
    if (!only_say_) m_.awaits_no_more(cluster_, now_, result.effects);
  }

  // A job of that cluster that is here.
  void theirs(BookEntry& entry) {
    wire::JobRecord& record = entry.job->record;
    if (record.from().acknowledged() || record.from().written_off()) return;
    const std::string job = "Job <" + text(entry.job->key()) + ">, which is job <" +
                            text(key_of(record.from().key())) + "> of cluster <" + cluster_ + ">, ";
    const bool waits = pending(record.status());
    const bool part = is_part(record) && placed(record.status());
    say(job + (finished(record.status())
                   ? "has ended: its result is dropped CLEAN_PERIOD after that, unless the "
                     "cluster connects before"
               : part  ? "is a part of it: it is ended"
               : waits ? "has not started: it is withdrawn"
                       : "runs on: its result is dropped CLEAN_PERIOD after its end, unless the "
                         "cluster connects before"));
    if (only_say_) return;
    {
      const Memory::Change change(m_, entry);
      record.mutable_from()->set_written_off(true);
    }
    result.effects.push_back(effect::SaveJob{entry.job->key()});
    if (part) m_.step(entry, event::PartReleased{}, now_, result.effects);
    if (waits) {
      m_.step(entry, event::GivenBack{"its cluster was written off by an administrator"}, now_,
              result.effects);
    }
    m_.time_id(entry.job->key().id);
  }

  void recorded() {
    if (only_say_ || lines_ == 0) return;
    result.effects.push_back(recorded_control(cluster_, wire::ControlBatch::WRITE_OFF_CLUSTERS, who_, now_));
    result.effects.push_back(effect::ScheduleSoon{});
  }
  void last_line() {
    if (lines_ > kMostLines)
      result.lines.push_back("... and " + std::to_string(lines_ - kMostLines) + " more jobs");
  }

 private:
  // As a job whose host will never come back.
  void on_first_host(BookEntry& entry) {
    const bool started = entry.job->record.started();
    report::Over told;
    told.attempt = jobs::attempt_of(entry.job->record);
    told.how = started ? report::Over::How::host_restarted : report::Over::How::withdrawn;
    told.end_us = now_.us;
    told.why = written_off_text(cluster_);
    const bool over = finished(after(entry, event::Ended{told}));
    say("Job <" + text(entry.job->key()) + (started ? "> runs" : "> is being started") +
        " on a host of cluster <" + cluster_ + ">: " + (started ? "its result is lost, " : "") +
        (over ? "it ends as EXIT" : "it pends here again"));
    if (!only_say_) m_.step(entry, event::Ended{told}, now_, result.effects);
  }
  void say(std::string line) {
    if (++lines_ <= kMostLines) result.lines.push_back(std::move(line));
  }
  wire::JobStatus after(BookEntry& entry, const JobHappening& event) {
    Job job = *entry.job;
    Effects none;
    jobs::step(job, m_.rules_of(entry), event, now_, none);
    return job.status();
  }

  Memory& m_;
  const std::string& cluster_;
  const bool only_say_;
  const WallTime now_;
  const Identity& who_;
  std::size_t lines_ = 0;
};

// Jobs of ours on hosts that the cluster lends.
std::set<JobKey> on_lent_hosts(const Memory& m, const std::string& cluster) {
  std::set<JobKey> jobs;
  m.hosts.each_jobs([&](HostNumber host, const JobsOf& of) {
    const HostId& id = m.hosts.id(host);
    if (id.cluster() != cluster || id.is_cluster()) return;
    jobs.insert(of.jobs.begin(), of.jobs.end());
  });
  return jobs;
}

// Looks at every finished job: an administrator's command, once in the life of a cluster.
std::vector<JobKey> with_open_post_execution(const Memory& m, const std::string& cluster) {
  std::vector<JobKey> open;
  for (const auto& [key, entry] : m.jobs) {
    if (!finished(entry.shown)) continue;
    m.pack_if_many();
    const wire::JobRecord& record = m.unpacked(entry).record;
    const bool lent = !record.hosts().empty() && HostId(record.hosts(0).name()).cluster() == cluster;
    if (record.post_status() == wire::POST_RUNNING && (lent || record.forwarded().cluster() == cluster))
      open.push_back(key);
  }
  std::sort(open.begin(), open.end());
  return open;
}

}  // namespace

ForwardedJobs::Done ForwardedJobs::write_off(const std::string& cluster, const Identity& who, bool only_say,
                                             WallTime now) {
  Memory& m = *memory_;
  WritingOff writing(m, cluster, who, only_say, now);
  const auto* known = m.hosts.find_jobs(HostId::whole_cluster(cluster).text());
  const std::set<JobKey> there = known ? known->jobs : std::set<JobKey>{};
  const std::vector<JobKey> post_open = with_open_post_execution(m, cluster);
  for (const JobKey key : there) writing.ours(m.at(key));
  for (const JobKey key : on_lent_hosts(m, cluster))
    if (!m.held_ends.contains(key)) writing.on_lent_hosts(m.at(key));
  for (const JobKey key : post_open) writing.post_open(m.at(key));
  for (const auto& [key, held] : m.held_ends)
    if (held.awaits.contains(cluster)) writing.end_held(key, held);
  writing.ends_are_awaited_no_more();
  std::vector<JobKey> here;
  for (auto one = m.foreign.lower_bound({cluster, {}});
       one != m.foreign.end() && one->first.cluster == cluster; ++one)
    here.push_back(one->second);
  for (const JobKey key : here) writing.theirs(m.at(key));
  writing.recorded();
  writing.last_line();
  return std::move(writing.result);
}

Effects ForwardedJobs::is_back(const std::string& cluster) {
  Memory& m = *memory_;
  Effects effects;
  for (auto one = m.foreign.lower_bound({cluster, {}});
       one != m.foreign.end() && one->first.cluster == cluster; ++one) {
    if (!m.jobs.at(one->second).written_off) continue;  // a million others stay packed
    BookEntry& entry = m.at(one->second);
    {
      const Memory::Change change(m, entry);
      entry.job->record.mutable_from()->set_written_off(false);
    }
    m.time_id(one->second.id);
    effects.push_back(effect::SaveJob{one->second});
  }
  return effects;
}

effect::RecordEvent ForwardedJobs::taken_anew(const std::string& cluster, const Identity& who, WallTime now) {
  return recorded_control(cluster, wire::ControlBatch::FORGET_CLUSTERS, who, now);
}

effect::RecordEvent ForwardedJobs::written_off(const std::string& cluster, const Identity& who,
                                               WallTime now) {
  return recorded_control(cluster, wire::ControlBatch::WRITE_OFF_CLUSTERS, who, now);
}

std::set<std::string> ForwardedJobs::clusters() const {
  std::set<std::string> names;
  for (const auto& [cluster, count] : memory_->foreign_of)
    if (count != 0) names.insert(cluster);
  memory_->hosts.each_jobs([&](HostNumber host, const JobsOf& of) {
    const HostId& id = memory_->hosts.id(host);
    if (!id.ours() && !of.jobs.empty()) names.emplace(id.cluster());
  });
  return names;
}

std::pair<std::size_t, std::size_t> ForwardedJobs::shared_with(const std::string& cluster) const {
  const auto* there = memory_->hosts.find_jobs(HostId::whole_cluster(cluster).text());
  return {(there ? there->jobs.size() : 0) + on_lent_hosts(*memory_, cluster).size(),
          held_for(cluster).size()};
}

}  // namespace rollcall::sched::book
