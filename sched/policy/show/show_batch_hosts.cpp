#include "sched/policy/show/show_batch_hosts.hpp"

#include <algorithm>

#include "common/base/load_vector.hpp"
#include "common/base/table_cells.hpp"
#include "sched/policy/show/show_fields.hpp"

namespace rollcall::sched::show {
namespace {

using Host = wire::BatchReply::BatchHost;

constexpr std::size_t kMargin = 14;  // of the label " Reserved"
constexpr std::size_t kWidest = 69;  // of the columns of one load table
constexpr int kBuiltIns = 11;

std::string max_word(const Host& h) { return h.has_max() ? std::to_string(h.max()) : "-"; }
std::string user_limit(const Host& h) { return h.has_user_limit() ? std::to_string(h.user_limit()) : "-"; }
std::string windows(const Host& h) { return h.dispatch_windows().empty() ? "-" : h.dispatch_windows(); }

std::string job_cells(const Host& h) {
  const auto& c = h.counts();
  return right_apart(std::to_string(c.jobs()), 7) + right_apart(std::to_string(c.running()), 7) +
         right_apart(std::to_string(c.ssusp()), 7) + right_apart(std::to_string(c.ususp()), 7) +
         right_apart(std::to_string(c.reserved()), 7);
}

std::string row(const Host& h, bool wide) {
  const std::string status = host_status(h, wide ? StatusForm::long_word : StatusForm::short_word);
  return left(wide ? h.name() : h.name().substr(0, 18), 18) + " " + left(status, 13) +
         right_apart(user_limit(h), 4) + right_apart(max_word(h), 7) + job_cells(h) + "\n";
}

// ---------------------------------------------------------------- the load of -l

struct Column {
  std::string name, total, reserved;
  std::size_t width = 0;
};

std::size_t built_in_width(const std::string& name) { return name == "ls" ? 5 : 6; }

std::vector<Column> columns_of(const BatchHosts& hosts, const Host& h) {
  std::vector<Column> columns;
  for (int place = 0; place < hosts.index_names_size(); ++place) {
    const std::string& name = hosts.index_names(place);
    const bool built_in = place < kBuiltIns;
    const float total = place < h.total_size() ? h.total(place) : kUnknownLoad;
    const float kept = place < h.reserved_size() ? h.reserved(place) : 0;
    const bool beyond =
        std::find(h.beyond().begin(), h.beyond().end(), static_cast<unsigned>(place)) != h.beyond().end();
    Column column{name, (beyond ? "*" : "") + load_cell(name, total), load_cell(name, kept), 0};
    column.width = built_in ? built_in_width(name) : std::max<std::size_t>(7, name.size() + 1);
    if (!built_in && kept == 0) column.reserved = "- ";
    columns.push_back(std::move(column));
    if (place == kBuiltIns - 1) columns.push_back({"slots", "", "-", 7});
  }
  return columns;
}

std::string free_slots(const Host& h) {
  if (!h.has_max()) return "-";
  return std::to_string(h.max() > h.counts().jobs() ? h.max() - h.counts().jobs() : 0);
}

// LSF's width, or more where a value would touch the column before it.
std::size_t width_of(const Column& column) {
  return std::max({column.width, column.total.size() + 1, column.reserved.size() + 1});
}

std::string table_of(const std::vector<Column>& columns, std::size_t from, std::size_t to) {
  std::string header(kMargin, ' '), total = left(" Total", kMargin), kept = left(" Reserved", kMargin);
  for (std::size_t i = from; i < to; ++i) {
    const std::size_t width = width_of(columns[i]);
    header += right(columns[i].name, width);
    total += right(columns[i].total, width);
    kept += right(columns[i].reserved, width);
  }
  return header + "\n" + total + "\n" + kept + "\n";
}

// The first table has the built-in indices and slots, and one short name that fits beside them. Further tables have the site's
// indices.
std::string load_tables(const BatchHosts& hosts, const Host& h) {
  auto columns = columns_of(hosts, h);
  for (auto& column : columns)
    if (column.name == "slots") column.total = free_slots(h);
  std::string text;
  for (std::size_t from = 0; from < columns.size();) {
    std::size_t to = from, width = 0;
    const std::size_t first = std::min<std::size_t>(columns.size(), kBuiltIns + 1);
    if (from == 0) {
      to = first;
      if (to < columns.size() && columns[to].width == 7) ++to;
    }
    while (from > 0 && to < columns.size() && (to == from || width + width_of(columns[to]) <= kWidest))
      width += width_of(columns[to++]);
    text += (text.empty() ? "" : "\n") + table_of(columns, from, to);
    from = to;
  }
  return text;
}

std::string block(const BatchHosts& hosts, const Host& h) {
  std::string text = "HOST  " + h.name() + "\n";
  text += "STATUS           CPUF  JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV DISPATCH_WINDOW\n";
  text += left(host_status(h, StatusForm::long_word), 15) + right(fixed(h.cpu_factor(), 2), 6) +
          right_apart(user_limit(h), 6) + right_apart(max_word(h), 7) + job_cells(h) + "      " + windows(h) +
          "\n";
  if (!h.comment().empty()) text += "\n ADMIN ACTION COMMENT: \"" + h.comment() + "\"\n";
  if (const auto lent = h.words().find("lent"); lent != h.words().end())
    text += "\n LENT TO OTHER CLUSTERS: " + lent->second + "\n";
  if (const auto trouble = h.words().find("trouble"); trouble != h.words().end())
    text += "\n LAST JOB COULD NOT BE STARTED: " + trouble->second + "\n";
  if (const auto why = h.words().find("not_ours"); why != h.words().end())
    text += "\n HOST IS NOT TAKEN: " + why->second + "\n";
  if (const auto left = h.words().find("left_behind"); left != h.words().end())
    text += "\n FILES OF ENDED JOBS COULD NOT BE REMOVED: " + left->second + "\n";
  if (const auto limit = h.words().find("own_limit"); limit != h.words().end())
    text += "\n SLOTS ARE LIMITED BY THIS CLUSTER: " + limit->second + "\n";
  if (hosts.index_names_size() > 0 && !h.unavailable())
    text += "\n CURRENT LOAD USED FOR SCHEDULING:\n" + load_tables(hosts, h) + "\n";
  text += "\n LOAD THRESHOLD USED FOR SCHEDULING:\n" + threshold_table(h.thresholds());
  if (const auto affinity = h.words().find("affinity"); affinity != h.words().end())
    text += "\n \n CONFIGURED AFFINITY CPU LIST: " + affinity->second + "\n";
  return text + "\n";
}

std::string word(const Host& h, const char* name, const char* none) {
  const auto at = h.words().find(name);
  return at == h.words().end() ? none : at->second;
}

std::string long_status(const Host& h) { return host_status(h, StatusForm::long_word); }
std::string no_value(const Host&) { return "-"; }
// The mode of devices is unknown (docs/decisions/0036): "-"; but "0" for a host without devices.
std::string gpus_by_mode(const Host& h) { return word(h, "ngpus", "0") == "0" ? "0" : "-"; }
std::string slots(const Host& h) { return h.has_max() ? free_slots(h) : "-"; }

const std::vector<ShownField<Host>>& batch_host_fields() {
  static const std::vector<ShownField<Host>> known{
      {{"host_name", "HOST_NAME", 20, {"hname"}}, [](const Host& h) { return h.name(); }},
      {{"status", "STATUS", 15, {"stat"}}, long_status},
      {{"cpuf", "CPUF", 10, {}}, [](const Host& h) { return fixed(h.cpu_factor(), 2); }},
      {{"jl_u", "JL_U", 8, {"jlu"}}, user_limit},
      {{"max", "MAX", 8, {}}, max_word},
      {{"njobs", "NJOBS", 8, {}}, [](const Host& h) { return std::to_string(h.counts().jobs()); }},
      {{"run", "RUN", 8, {}}, [](const Host& h) { return std::to_string(h.counts().running()); }},
      {{"ssusp", "SSUSP", 8, {}}, [](const Host& h) { return std::to_string(h.counts().ssusp()); }},
      {{"ususp", "USUSP", 8, {}}, [](const Host& h) { return std::to_string(h.counts().ususp()); }},
      {{"rsv", "RSV", 8, {}}, [](const Host& h) { return std::to_string(h.counts().reserved()); }},
      {{"dispatch_window", "DISPATCH_WINDOW", 50, {"dispwin"}}, windows},
      {{"slots", "SLOTS", 8, {}}, slots},
      {{"slots_alloc", "SLOTS_ALLOC", 11, {}},
       [](const Host& h) { return std::to_string(h.counts().jobs()); }},
      {{"ngpus", "NGPUS", 8, {"ng"}}, [](const Host& h) { return word(h, "ngpus", "0"); }},
      {{"ngpus_alloc", "NGPUS_ALLOC", 11, {"ngu"}},
       [](const Host& h) { return word(h, "ngpus_alloc", "0"); }},
      {{"ngpus_excl_alloc", "NGPUS_EXCL_ALLOC", 16, {"ngx"}}, gpus_by_mode},
      {{"ngpus_shared_alloc", "NGPUS_SHARED_ALLOC", 18, {"ngs"}}, gpus_by_mode},
      {{"ngpus_shared_jexcl_alloc", "NGPUS_SHARED_JEXCL_ALLOC", 24, {"ngsjx"}}, gpus_by_mode},
      {{"ngpus_excl_avail", "NGPUS_EXCL_AVAIL", 16, {"ngfx"}}, gpus_by_mode},
      {{"ngpus_shared_avail", "NGPUS_SHARED_AVAIL", 18, {"ngfs"}}, gpus_by_mode},
      {{"attribute", "ATTRIBUTE", 20, {"attr"}}, no_value},
      {{"comments", "COMMENTS", 128, {"comment"}},
       [](const Host& h) { return h.comment().empty() ? "-" : h.comment(); }},
      {{"mig_alloc", "MIG_ALLOC", 20, {}}, no_value},
      {{"available_mem", "AVAILABLE_MEM", 15, {"avail_mem"}},
       [](const Host& h) { return word(h, "available_mem", "-"); }},
      {{"reserved_mem", "RESERVED_MEM", 15, {"rsv_mem"}},
       [](const Host& h) { return word(h, "reserved_mem", "0M"); }},
      {{"total_mem", "TOTAL_MEM", 15, {}}, [](const Host& h) { return word(h, "total_mem", "-"); }},
  };
  return known;
}

}  // namespace

std::string host_status(const wire::BatchReply::BatchHost& h, StatusForm form) {
  if (h.unavailable()) return "unavail";
  if (h.unreachable()) return "unreach";
  const char* why = h.closed_by_admin() ? "_Adm"
                    : h.no_lim()        ? "_LIM"
                    : h.locked()        ? "_Lock"
                    : h.window_closed() ? "_Wind"
                    : h.exclusive()     ? "_Excl"
                    : h.full()          ? "_Full"
                    : h.busy()          ? "_Busy"
                                        : nullptr;
  if (why == nullptr) return "ok";
  return std::string("closed") + (form == StatusForm::long_word ? why : "");
}

std::string batch_hosts_table(const BatchHosts& hosts, bool wide) {
  std::string text = "HOST_NAME          STATUS       JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV \n";
  for (const auto& host : hosts.hosts()) text += row(host, wide);
  return text;
}

std::string batch_hosts_long(const BatchHosts& hosts) {
  std::string text;
  for (const auto& host : hosts.hosts()) text += block(hosts, host);
  return text;
}

Result<std::string> batch_hosts_fields(const BatchHosts& hosts, const std::string& format, FieldForm form) {
  return fields_text(batch_host_fields(), hosts.hosts(), format, form, "bhosts", "HOSTS");
}

namespace {

std::string names_of(const wire::BatchReply::SharedRow& shared) {
  std::string hosts;
  for (const auto& host : shared.hosts()) hosts += (hosts.empty() ? "" : " ") + host;
  return hosts;
}

// "": unknown.
std::string total_of(const wire::BatchReply::SharedRow& shared) {
  return known_load(static_cast<float>(shared.total())) ? fixed(shared.total(), 1) : "";
}

}  // namespace

std::string shared_rows_table(const wire::BatchReply::SharedRows& rows) {
  std::string text = "RESOURCE                 TOTAL       RESERVED       LOCATION\n";
  for (const auto& shared : rows.rows()) {
    const std::string total = total_of(shared);
    text += left(shared.resource(), 20) + right(total.empty() ? "-" : total, 10) +
            right(fixed(shared.reserved(), 1), 15) + "       " + names_of(shared) + "\n";
  }
  return text;
}

std::string shared_rows_json(const wire::BatchReply::SharedRows& rows) {
  std::vector<std::string> records;
  for (const auto& shared : rows.rows())
    records.push_back(json_record({{"RESOURCE", shared.resource()},
                                   {"TOTAL", total_of(shared)},
                                   {"RESERVED", fixed(shared.reserved(), 1)},
                                   {"LOCATION", names_of(shared)}}));
  return json_document("bhosts", "RESOURCES", records);
}

}  // namespace rollcall::sched::show
