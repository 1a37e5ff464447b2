#include "sched/policy/show/show_information.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "common/base/table_cells.hpp"
#include "sched/policy/show/show_fields.hpp"
#include "sched/policy/show/show_leases.hpp"

namespace rollcall::sched::show {
namespace {

using User = wire::BatchReply::User;
using Parameter = wire::BatchReply::Parameter;
using Application = wire::BatchReply::Application;

bool counted(const User& u) { return u.name() != "default"; }
std::string count(const User& u, std::uint32_t number) { return counted(u) ? std::to_string(number) : "-"; }
std::string max_word(const User& u) { return u.has_max() ? std::to_string(u.max()) : "-"; }
std::string processor_limit(const User& u) {
  if (!u.has_processor_limit()) return "-";
  const bool whole = u.processor_limit() == std::trunc(u.processor_limit());
  return fixed(u.processor_limit(), whole ? 0 : 1);
}

std::string max_pending(const User& u) { return u.has_max_pending() ? std::to_string(u.max_pending()) : "-"; }

const std::vector<ShownField<User>>& user_fields() {
  static const std::vector<ShownField<User>> known{
      {{"user", "USER", 15, {}}, [](const User& u) { return u.name(); }},
      {{"jl/p", "JL/P", 4, {}}, processor_limit},
      {{"max", "MAX", 6, {}}, max_word},
      {{"nstart", "NSTART", 8, {}},
       [](const User& u) {
         return count(u, u.counts().running() + u.counts().ssusp() + u.counts().ususp());
       }},
      {{"pend", "PEND", 8, {}}, [](const User& u) { return count(u, u.counts().pending()); }},
      {{"run", "RUN", 8, {}}, [](const User& u) { return count(u, u.counts().running()); }},
      {{"ssusp", "SSUSP", 8, {}}, [](const User& u) { return count(u, u.counts().ssusp()); }},
      {{"ususp", "USUSP", 8, {}}, [](const User& u) { return count(u, u.counts().ususp()); }},
      {{"rsv", "RSV", 8, {}}, [](const User& u) { return count(u, u.counts().reserved()); }},
      {{"njobs", "NJOBS", 8, {}}, [](const User& u) { return count(u, u.counts().jobs()); }},
      {{"pjobs", "PJOBS", 8, {}}, [](const User& u) { return count(u, u.counts().pending_jobs()); }},
      {{"mpend", "MPEND", 8, {}}, [](const User&) { return std::string("-"); }},
      {{"mpjobs", "MPJOBS", 8, {}}, max_pending},
      {{"priority", "PRIORITY", 8, {}}, [](const User&) { return std::string("-"); }},
      {{"ngpus", "NGPUS", 8, {}}, [](const User&) { return std::string("-"); }},
      {{"ngpus_shared", "NGPUS_SHARED", 12, {}}, [](const User&) { return std::string("-"); }},
      {{"ngpus_excl", "NGPUS_EXCL", 10, {}}, [](const User&) { return std::string("-"); }},
      {{"ngpus_shared_jexcl", "NGPUS_SHARED_JEXCL", 18, {}}, [](const User&) { return std::string("-"); }},
  };
  return known;
}

std::string value_words(const Parameter& p) {
  return p.name() + " = " + p.value() + (p.unit().empty() ? "" : " (" + p.unit() + ")");
}

// bparams without options: its five lines, JOB_ACCEPT_INTERVAL in seconds.
std::string short_lines(const wire::BatchReply::Parameters& parameters) {
  const auto value = [&](const std::string& name) -> std::string {
    for (const auto& p : parameters.parameters())
      if (p.name() == name) return p.value();
    return "";
  };
  const auto number = [&](const std::string& name) {
    const std::string text = value(name);
    return text.empty() || text.find_first_not_of("0123456789") != std::string::npos || text.size() > 9
               ? 0
               : std::stol(text);
  };
  std::string text = "Default Queues:  " + value("DEFAULT_QUEUE") + "\n";
  if (const auto spec = value("DEFAULT_HOST_SPEC"); !spec.empty())
    text += "Default Host Specification:  " + spec + "\n";
  text += "Job Dispatch Interval:  " + value("MBD_SLEEP_TIME") + " seconds\n";
  text += "Job Checking Interval:  " + value("SBD_SLEEP_TIME") + " seconds\n";
  return text + "Job Accepting Interval:  " +
         std::to_string(number("JOB_ACCEPT_INTERVAL") * number("MBD_SLEEP_TIME")) + " seconds\n";
}

std::string application_counts(const Application& a) {
  const auto& c = a.counts();
  return right(std::to_string(c.jobs()), 7) + right(std::to_string(c.pending()), 7) +
         right(std::to_string(c.running()), 7) + right(std::to_string(c.ssusp() + c.ususp()), 7);
}

std::string application_statistics(const wire::BatchReply::Counts& c) {
  std::string names, numbers;
  const std::pair<const char*, std::uint32_t> columns[] = {{"NJOBS", c.jobs()},  {"PEND", c.pending()},
                                                           {"RUN", c.running()}, {"SSUSP", c.ssusp()},
                                                           {"USUSP", c.ususp()}, {"RSV", c.reserved()}};
  for (const auto& [name, number] : columns) {
    names += right(name, 9);
    numbers += right(std::to_string(number), 9);
  }
  return names + "\n" + numbers + "\n";
}

using LimitRow = wire::BatchReply::LimitRow;

template <class Names>
std::string names_cell(const Names& names, const char* more = "") {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ",") + name;
  return text.empty() ? "-" : text + more;
}

std::string amount_text(double amount) {
  std::string text = std::to_string(amount);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// "3/4", taken and allowed; with blimits -c only what is allowed.
std::string limit_cell(const LimitRow& row, const std::string& kind) {
  const auto amount = std::find_if(row.amounts().begin(), row.amounts().end(),
                                   [&](const auto& a) { return a.kind() == kind; });
  if (amount == row.amounts().end()) return "-";
  std::string most = amount->has_most() ? amount_text(amount->most()) : "-";
  if (amount->percent()) most += "%";
  if (amount->per_processor()) most += "*CPUS";
  return amount->has_taken() ? amount_text(amount->taken()) + "/" + most : most;
}

// Pads the cell, with at least one blank after it.
std::string cell(const std::string& text, std::size_t width) {
  return left(text, std::max(width, text.size() + 1));
}

}  // namespace

std::string users_table(const wire::BatchReply::Users& users, UserForm form) {
  const bool wide = form == UserForm::wide;
  std::string text = "USER/GROUP          JL/P    MAX  NJOBS   PEND    RUN  SSUSP  USUSP    RSV ";
  text += wide ? " MPEND  PJOBS MPJOBS\n" : "\n";
  for (const auto& u : users.users()) {
    const auto& c = u.counts();
    text += left(u.name(), 18) + right(processor_limit(u), 6) + right(max_word(u), 7);
    for (const std::uint32_t number :
         {c.jobs(), c.pending(), c.running(), c.ssusp(), c.ususp(), c.reserved()})
      text += right(count(u, number), 7);
    // MPEND is "-": MAX_PEND_JOBS counts jobs, and pending slots have no limit.
    if (wide) text += right("-", 7) + right(count(u, c.pending_jobs()), 7) + right(max_pending(u), 7);
    text += "\n";
  }
  return text;
}

Result<std::string> users_fields(const wire::BatchReply::Users& users, const std::string& format,
                                 FieldForm form) {
  return fields_text(user_fields(), users.users(), format, form, "busers", "USERS");
}

namespace {

// What the choice of a queue looks at besides slots.
std::string remote_queue_block(const wire::BatchReply::ClusterRows& clusters) {
  std::string text;
  std::set<std::pair<std::string, std::string>> named;
  for (const auto& row : clusters.rows()) {
    if (!row.has_figures() || !named.insert({row.cluster(), row.remote_queue()}).second) continue;
    const auto& told = row.figures();
    text += left(row.remote_queue(), 15) + " " + left(row.cluster(), 10) + " " +
            right(told.has_lowest_preemptable() ? std::to_string(told.lowest_preemptable()) : "-", 12) +
            "  " + left(names_cell(told.types()), 15) + " " + names_cell(told.booleans()) + "\n";
  }
  return text.empty() ? ""
                      : "\n[Remote Queue Information ]\n" + left("REMOTE", 15) + " " + left("CLUSTER", 10) +
                            " PREEMPT_PRIO  " + left("HOST_TYPES", 15) + " BOOLEANS\n" + text;
}

std::string lease_blocks(const wire::BatchReply::ClusterRows& clusters, bool all) {
  return lease_block(clusters.leases(), all) + (all ? difference_block(clusters.differences()) : "");
}

}  // namespace

std::string clusters_table(const wire::BatchReply::ClusterRows& clusters, bool counters) {
  constexpr const char* kNoQueue = "No local queue sending/receiving jobs from remote clusters\n";
  if (clusters.rows().empty() && clusters.leases().empty() && clusters.differences().empty()) return kNoQueue;
  if (clusters.rows().empty())
    return "[Job Forwarding Information ]\n" + std::string(kNoQueue) + "\n" +
           lease_blocks(clusters, counters);
  const auto cells = [](const std::string& queue, const std::string& flow, const std::string& remote,
                        const std::string& cluster) {
    return left(queue, 15) + " " + left(flow, 10) + " " + left(remote, 10) + " " + left(cluster, 10) + " ";
  };
  std::string text =
      "[Job Forwarding Information ]\n" + cells("LOCAL_QUEUE", "JOB_FLOW", "REMOTE", "CLUSTER");
  text += counters ? "STATUS  TOTAL AVAIL   RUN  PEND PREEM  JOBS SLOTS  PRIO   AGE  REASON\n" : "STATUS\n";
  const auto number = [](std::int64_t value) { return right(std::to_string(value), 6); };
  for (const auto& row : clusters.rows()) {
    text += cells(row.queue(), row.receives() ? "recv" : "send", row.receives() ? "-" : row.remote_queue(),
                  row.cluster());
    const auto& told = row.figures();
    if (!counters) {
      text += row.status() + "\n";
      continue;
    }
    const auto shown = [&](std::int64_t value) { return row.has_figures() ? number(value) : right("-", 6); };
    text += left(row.status(), 6) + shown(told.total()) + shown(told.available()) + shown(told.running()) +
            shown(told.pending()) + shown(told.preemptable()) +
            (told.has_job_room() ? number(told.job_room()) : right("-", 6)) +
            (told.has_slot_room() ? number(told.slot_room()) : right("-", 6)) + shown(told.priority()) +
            right(row.has_figures() ? std::to_string(told.age_s()) + "s" : "-", 6) +
            (row.why().empty() ? "" : "  " + row.why()) + "\n";
  }
  if (counters) text += remote_queue_block(clusters);
  return text + "\n" + lease_blocks(clusters, counters);
}

std::string cluster_applications_table(const wire::BatchReply::ClusterRows& clusters) {
  std::string text = "[Remote Cluster Application Information ]\n" + left("REMOTE_CLUSTER", 16) +
                     left("APP_NAME", 16) + "DESCRIPTION\n";
  for (const auto& row : clusters.applications())
    text += left(row.cluster(), 15) + " " + left(row.name(), 15) + " " +
            (row.description().empty() ? "-" : row.description()) + "\n";
  return clusters.applications().empty() ? "No application profiles of remote clusters are known\n" : text;
}

std::string cluster_applications_json(const wire::BatchReply::ClusterRows& clusters) {
  std::vector<std::string> records;
  for (const auto& row : clusters.applications())
    records.push_back(json_record(
        {{"REMOTE_CLUSTER", row.cluster()}, {"APP_NAME", row.name()}, {"DESCRIPTION", row.description()}}));
  return json_document("bclusters", "APPS", records);
}

std::string clusters_json(const wire::BatchReply::ClusterRows& clusters, bool counters) {
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  std::vector<std::string> records;
  for (const auto& row : clusters.rows()) {
    JsonRecord record{{"LOCAL_QUEUE", row.queue()},
                      {"JOB_FLOW", row.receives() ? "recv" : "send"},
                      {"REMOTE", row.receives() ? "-" : row.remote_queue()},
                      {"CLUSTER", row.cluster()},
                      {"STATUS", row.status()}};
    if (counters) {
      const auto& told = row.figures();
      const auto shown = [&](std::int64_t value) { return row.has_figures() ? number(value) : ""; };
      record.insert(record.end(),
                    {{"TOTAL", shown(told.total())},
                     {"AVAIL", shown(told.available())},
                     {"RUN", shown(told.running())},
                     {"PEND", shown(told.pending())},
                     {"PREEM", shown(told.preemptable())},
                     {"JOBS", told.has_job_room() ? number(told.job_room()) : ""},
                     {"SLOTS", told.has_slot_room() ? number(told.slot_room()) : ""},
                     {"PRIO", shown(told.priority())},
                     {"AGE_S", shown(told.age_s())},
                     {"PREEMPT_PRIO", told.has_lowest_preemptable() ? number(told.lowest_preemptable()) : ""},
                     {"HOST_TYPES", names_cell(told.types())},
                     {"BOOLEANS", names_cell(told.booleans())},
                     {"REASON", row.why()}});
    }
    records.push_back(json_record(record));
  }
  std::string document = json_document("bclusters", "CLUSTERS", records);
  if (clusters.leases().empty()) return document;
  std::string leases;
  for (const auto& record : lease_records(clusters.leases(), counters))
    leases += (leases.empty() ? "" : ",\n") + record;
  const std::string_view end = "\n}\n";
  return document.erase(document.size() - end.size()) + ",\n  \"LEASES\":[\n" + leases + "\n  ]\n}\n";
}

std::string parameters_text(const wire::BatchReply::Parameters& parameters, ParameterForm form) {
  if (form == ParameterForm::shortly) return short_lines(parameters);
  std::string text;
  for (const auto& parameter : parameters.parameters()) {
    if (parameter.value().empty()) continue;
    if (form == ParameterForm::explained && !parameter.meaning().empty())
      text += "\n" + parameter.meaning() + ":\n    " + value_words(parameter) + "\n";
    else if (form == ParameterForm::all)
      text += "    " + value_words(parameter) + "\n";
  }
  return text;
}

std::string parameters_json(const wire::BatchReply::Parameters& parameters) {
  std::vector<std::string> records;
  for (const auto& p : parameters.parameters())
    if (!p.value().empty())
      records.push_back(json_record({{"NAME", p.name()}, {"VALUE", p.value()}, {"UNIT", p.unit()}}));
  return json_document("bparams", "PARAMETERS", records);
}

std::string groups_table(const wire::BatchReply::Groups& groups, bool of_users) {
  std::string text = of_users ? "GROUP_NAME    USERS\n" : "GROUP_NAME    HOSTS\n";
  for (const auto& group : groups.groups()) {
    std::string members;
    for (const auto& member : group.members()) members += " " + member;
    text += left(group.name(), 12) + (members.empty() ? " " : members) + "\n";
  }
  return text;
}

std::string groups_long(const wire::BatchReply::Groups& groups, bool of_users) {
  std::string text;
  const auto line = [&text](const char* title, const auto& words) {
    if (words.empty()) return;
    text += left(title, 13);
    for (const auto& word : words) text += " " + word;
    text += "\n";
  };
  for (const auto& group : groups.groups()) {
    if (!text.empty()) text += "\n";
    text += left("GROUP_NAME:", 14) + group.name() + "\n";
    line(of_users ? "USERS:" : "HOSTS:", group.members());
    line("GROUP_ADMIN:", group.administrators());
    line("SHARES:", group.shares());
    if (group.condensed()) text += left("CONDENSE:", 14) + "Y\n";
  }
  return text;
}

std::string applications_table(const wire::BatchReply::Applications& applications) {
  std::string text = "APP_NAME             NJOBS   PEND    RUN   SUSP \n";
  for (const auto& a : applications.applications()) text += left(a.name(), 19) + application_counts(a) + "\n";
  return text;
}

std::string applications_long(const wire::BatchReply::Applications& applications) {
  std::string text;
  for (const auto& a : applications.applications()) {
    if (!text.empty()) text += std::string(79, '-') + "\n";
    text += "\nAPPLICATION NAME: " + a.name() + "\n  -- " +
            (a.description().empty() ? "No description provided." : a.description()) + "\n\nSTATISTICS:\n" +
            application_statistics(a.counts()) + "\nPARAMETERS:\n";
    std::vector<std::string> lines;
    for (const auto& [keyword, value] : a.lines())
      if (keyword != "NAME" && keyword != "DESCRIPTION")
        lines.push_back("\n" + keyword + ":  " + value + "\n");
    std::sort(lines.begin(), lines.end());
    for (const auto& line : lines) text += line;
  }
  return text;
}

std::string applications_json(const wire::BatchReply::Applications& applications, bool parameters) {
  std::vector<std::string> records;
  for (const auto& a : applications.applications()) {
    const auto& c = a.counts();
    JsonRecord record{{"APP_NAME", a.name()},
                      {"NJOBS", std::to_string(c.jobs())},
                      {"PEND", std::to_string(c.pending())},
                      {"RUN", std::to_string(c.running())},
                      {"SUSP", std::to_string(c.ssusp() + c.ususp())},
                      {"SSUSP", std::to_string(c.ssusp())},
                      {"USUSP", std::to_string(c.ususp())},
                      {"RSV", std::to_string(c.reserved())}};
    if (parameters) {
      const std::map<std::string, std::string> lines(a.lines().begin(), a.lines().end());
      record.emplace_back("DESCRIPTION", a.description());
      for (const auto& [keyword, value] : lines)
        if (keyword != "NAME" && keyword != "DESCRIPTION") record.emplace_back(keyword, value);
    }
    records.push_back(json_record(record));
  }
  return json_document("bapp", "APPS", records);
}

std::string limits_json(const wire::BatchReply::LimitRows& rows) {
  std::set<std::string> kinds;
  for (const auto& row : rows.rows())
    for (const auto& amount : row.amounts()) kinds.insert(amount.kind());
  std::vector<std::string> records;
  for (const auto& row : rows.rows()) {
    JsonRecord record{{"NAME", row.name()},
                      {"USERS", names_cell(row.users())},
                      {"QUEUES", names_cell(row.queues())},
                      {"HOSTS", names_cell(row.hosts(), row.more_hosts() ? ",..." : "")},
                      {"PROJECTS", names_cell(row.projects())},
                      {"APPS", names_cell(row.applications())}};
    for (const auto& kind : kinds) record.emplace_back(kind, limit_cell(row, kind));
    records.push_back(json_record(record));
  }
  return json_document("blimits", "LIMITS", records);
}

std::string limits_table(const wire::BatchReply::LimitRows& rows, bool configured) {
  std::set<std::string> kinds;
  bool applications = false;
  for (const auto& row : rows.rows()) {
    for (const auto& amount : row.amounts()) kinds.insert(amount.kind());
    applications = applications || row.applications_size() > 0;
  }
  std::string text = configured ? "" : "\nINTERNAL RESOURCE LIMITS:\n\n";
  text +=
      left("NAME", 20) + left("USERS", 12) + left("QUEUES", 12) + left("HOSTS", 12) + left("PROJECTS", 12);
  if (applications) text += left("APPS", 12);
  for (const auto& kind : kinds) text += left(kind, 10);
  text += "\n";
  for (const auto& row : rows.rows()) {
    text += cell(row.name(), 20) + cell(names_cell(row.users()), 12) + cell(names_cell(row.queues()), 12) +
            cell(names_cell(row.hosts(), row.more_hosts() ? ",..." : ""), 12) +
            cell(names_cell(row.projects()), 12);
    if (applications) text += cell(names_cell(row.applications()), 12);
    for (const auto& kind : kinds) text += cell(limit_cell(row, kind), 10);
    text += "\n";
  }
  return text;
}

}  // namespace rollcall::sched::show
