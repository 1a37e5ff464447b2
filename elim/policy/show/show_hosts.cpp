#include "elim/policy/show/show_hosts.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/base/output_format.hpp"
#include "common/base/table_cells.hpp"
#include "elim/policy/show/json_text.hpp"

namespace rollcall::elim::show {
namespace {

using wire::Facts;

std::string count_cell(std::int64_t count) { return count > 0 ? std::to_string(count) : "-"; }

// 0: of a host that is not known.
std::string factor_cell(double factor) {
  if (factor <= 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", factor);
  return text;
}

std::string server_cell(const Facts& host) { return host.server() ? "Yes" : "No"; }

using Values = std::vector<std::pair<std::string, std::string>>;
Values sorted_values(const Facts& host) {
  Values sorted(host.values().begin(), host.values().end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// Booleans, dedicated ones with "!", then name=value of the static ones, as lsf.cluster writes them.
std::string resources_of(const Facts& host) {
  std::string words;
  const auto add = [&words](const std::string& word) { words += (words.empty() ? "" : " ") + word; };
  const auto& dedicated = host.dedicated();
  for (const auto& name : host.booleans()) {
    const bool mine = std::find(dedicated.begin(), dedicated.end(), name) != dedicated.end();
    add((mine ? "!" : "") + name);
  }
  for (const auto& [name, value] : sorted_values(host)) add(name + "=" + value);
  return words;
}

std::string wide_row(const Facts& h, const std::string& resources) {
  return left(h.name(), 22) + right(h.type().empty() ? "-" : h.type(), 14) +
         right(h.model().empty() ? "-" : h.model(), 12) + right(factor_cell(h.cpu_factor()), 6) +
         right(count_cell(h.ncpus()), 6) + right(size_cell(h.maxmem()), 7) + right(size_cell(h.maxswp()), 7) +
         right(server_cell(h), 7) + " (" + resources + ")\n";
}

std::string narrow_row(const Facts& h, const std::string& resources) {
  const std::string type = h.type().empty() ? "-" : h.type();
  const std::string model = h.model().empty() ? "-" : h.model();
  return left(h.name().substr(0, 11), 11) + right(type.substr(0, 7), 8) + right(model.substr(0, 8), 9) +
         right(factor_cell(h.cpu_factor()), 6) + right(count_cell(h.ncpus()), 6) +
         right(size_cell(h.maxmem()), 7) + right(size_cell(h.maxswp()), 7) + right(server_cell(h), 7) + " (" +
         resources + ")\n";
}

const char* const kNarrowHeader = "HOST_NAME      type    model  cpuf ncpus maxmem maxswp server RESOURCES\n";
const char* const kWideHeader =
    "HOST_NAME                       type       model  cpuf ncpus maxmem maxswp server RESOURCES\n";

std::size_t threshold_width(const std::string& index) { return std::max<std::size_t>(6, index.size() + 1); }

std::string threshold_cell(const Facts& host, const std::string& index) {
  for (const auto& threshold : host.thresholds())
    if (threshold.name() == index) return load_cell(index, static_cast<float>(threshold.value()));
  return "-";
}

std::string host_block(const Facts& h, const std::vector<std::string>& indices) {
  std::string text = "HOST_NAME:  " + h.name() + "\n";
  text += left("type", 11) + right("model", 11) +
          "  cpuf ncpus ndisks maxmem maxswp maxtmp rexpri server nprocs ncores nthreads\n";
  text += left(h.type().empty() ? "-" : h.type(), 11) + right(h.model().empty() ? "-" : h.model(), 11) +
          right(factor_cell(h.cpu_factor()), 6) + right(count_cell(h.ncpus()), 6) +
          right(count_cell(h.ndisks()), 7) + right(size_cell(h.maxmem()), 7) +
          right(size_cell(h.maxswp()), 7) + right(size_cell(h.maxtmp()), 7) +
          right(std::to_string(h.rexpri()), 7) + right(server_cell(h), 7) + right(count_cell(h.nprocs()), 7) +
          right(count_cell(h.ncores()), 7) + right(count_cell(h.nthreads()), 9) + "\n\n";
  const std::string resources = resources_of(h);
  text += "RESOURCES: " + (resources.empty() ? "Not defined" : resources) + "\n";
  text += "RUN_WINDOWS:  " + (h.run_windows().empty() ? "(always open)" : h.run_windows()) + "\n\n";
  text += "LOAD_THRESHOLDS:\n";
  for (const auto& index : indices) text += right(index, threshold_width(index));
  text += '\n';
  for (const auto& index : indices) text += right(threshold_cell(h, index), threshold_width(index));
  return text + "\n";
}

// The columns that -o knows, in the order of field_values().
const std::vector<OutputField>& host_fields() {
  static const std::vector<OutputField> fields = {{"host_name", "HOST_NAME", 20, {"hname", "host"}},
                                                  {"type", "type", 10, {}},
                                                  {"model", "model", 10, {}},
                                                  {"cpuf", "cpuf", 6, {}},
                                                  {"ncpus", "ncpus", 6, {}},
                                                  {"maxmem", "maxmem", 7, {}},
                                                  {"maxswp", "maxswp", 7, {}},
                                                  {"server", "server", 6, {}},
                                                  {"nprocs", "nprocs", 6, {}},
                                                  {"ncores", "ncores", 6, {}},
                                                  {"nthreads", "nthreads", 8, {}},
                                                  {"ndisks", "ndisks", 6, {}},
                                                  {"maxtmp", "maxtmp", 7, {}},
                                                  {"rexpri", "rexpri", 6, {}},
                                                  {"resources", "RESOURCES", 20, {"res"}}};
  return fields;
}

std::vector<std::string> field_values(const Facts& h) {
  const auto word = [](const std::string& text) { return text.empty() ? std::string("-") : text; };
  return {h.name(),
          word(h.type()),
          word(h.model()),
          factor_cell(h.cpu_factor()),
          count_cell(h.ncpus()),
          size_cell(h.maxmem()),
          size_cell(h.maxswp()),
          server_cell(h),
          count_cell(h.nprocs()),
          count_cell(h.ncores()),
          count_cell(h.nthreads()),
          count_cell(h.ndisks()),
          size_cell(h.maxtmp()),
          std::to_string(h.rexpri()),
          "(" + resources_of(h) + ")"};
}

nlohmann::ordered_json facts_json(const Facts& h) {
  // A host that was never heard, or whose cluster is not connected, has no processors.
  const auto known = [&h](auto value) {
    return h.ncpus() > 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  nlohmann::ordered_json record{
      {"HOST_NAME", h.name()},
      {"TYPE", h.type()},
      {"MODEL", h.model()},
      {"CPUF", h.cpu_factor() > 0 ? nlohmann::ordered_json(h.cpu_factor()) : nlohmann::ordered_json()},
      {"NCPUS", known(h.ncpus())},
      {"NPROCS", known(h.nprocs())},
      {"NCORES", known(h.ncores())},
      {"NTHREADS", known(h.nthreads())},
      {"NDISKS", known(h.ndisks())},
      {"MAXMEM_MB", known(h.maxmem())},
      {"MAXSWP_MB", known(h.maxswp())},
      {"MAXTMP_MB", known(h.maxtmp())},
      {"REXPRI", h.rexpri()},
      {"SERVER", h.server()},
      {"RUN_WINDOWS", h.run_windows()}};
  record["RESOURCES"] =
      nlohmann::ordered_json(std::vector<std::string>(h.booleans().begin(), h.booleans().end()));
  record["DEDICATED"] =
      nlohmann::ordered_json(std::vector<std::string>(h.dedicated().begin(), h.dedicated().end()));
  auto& values = record["VALUES"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : sorted_values(h)) values[name] = value;
  auto& thresholds = record["THRESHOLDS"] = nlohmann::ordered_json::object();
  for (const auto& threshold : h.thresholds()) thresholds[threshold.name()] = threshold.value();
  return record;
}

constexpr std::size_t kLine = 80;
constexpr std::size_t kLocation = 52;  // where LOCATION's words begin

// The hosts of one resource, blank-separated, wrapped under LOCATION.
std::string location(const wire::Reply::Shared& shared) {
  if (shared.all()) return "ALL";
  std::string text, line;
  for (const auto& host : shared.hosts()) {
    if (!line.empty() && kLocation + line.size() + 1 + host.size() > kLine) {
      text += line + '\n' + std::string(kLocation, ' ');
      line.clear();
    }
    line += (line.empty() ? "" : " ") + host;
  }
  return text + line;
}

}  // namespace

std::string hosts_table(const Hosts& hosts, bool wide) {
  std::string text = wide ? kWideHeader : kNarrowHeader;
  for (const auto& host : hosts.hosts()) text += (wide ? wide_row : narrow_row)(host, resources_of(host));
  return text;
}

std::string hosts_long(const Hosts& hosts, const std::vector<std::string>& indices) {
  std::string text;
  for (const auto& host : hosts.hosts()) text += (text.empty() ? "" : "\n") + host_block(host, indices);
  return text;
}

Result<std::string> hosts_fields(const Hosts& hosts, const std::string& format) {
  const auto chosen = OutputFormat::parse(format, host_fields());
  if (!chosen) return chosen.error();
  std::string text = chosen->header(host_fields());
  for (const auto& host : hosts.hosts()) {
    const auto all = field_values(host);
    std::vector<std::string> values;
    for (const auto& field : chosen->chosen()) values.push_back(all[field.field]);
    text += chosen->line(values);
  }
  return text;
}

std::string hosts_topology(const Hosts& hosts) {
  std::string text;
  for (const auto& host : hosts.hosts()) {
    text += (text.empty() ? "" : "\n") + std::string("HOST_NAME:  ") + host.name() + "\n";
    text += host.topology().empty() ? "(no topology is known)\n" : host.topology();
    if (text.back() != '\n') text += '\n';
  }
  return text;
}

std::string hosts_json(const Hosts& hosts) {
  nlohmann::ordered_json document{{"COMMAND", "lshosts"}, {"HOSTS", hosts.hosts_size()}};
  auto& records = document["RECORDS"] = nlohmann::ordered_json::array();
  for (int i = 0; i < hosts.hosts_size(); ++i) {
    auto record = facts_json(hosts.hosts(i));
    if (i < hosts.up_size()) record["UP"] = hosts.up(i);
    if (!hosts.hosts(i).topology().empty()) record["TOPOLOGY"] = hosts.hosts(i).topology();
    records.push_back(std::move(record));
  }
  return json_text(document);
}

std::string shareds_table(const Shareds& shareds) {
  std::string text = left("RESOURCE", 23) + right("VALUE", 22) + "       LOCATION\n";
  for (const auto& shared : shareds.shareds()) {
    const std::string row =
        left(shared.resource(), 23) + right(shared.value().empty() ? "-" : shared.value(), 22);
    text += left(row, 51) + ' ' + location(shared) + '\n';
  }
  return text;
}

std::string shareds_json(const Shareds& shareds, const std::string& command) {
  nlohmann::ordered_json document{{"COMMAND", command}, {"RESOURCES", shareds.shareds_size()}};
  auto& records = document["RECORDS"] = nlohmann::ordered_json::array();
  for (const auto& shared : shareds.shareds())
    records.push_back({{"RESOURCE", shared.resource()},
                       {"VALUE", shared.value()},
                       {"ALL", shared.all()},
                       {"LOCATION", std::vector<std::string>(shared.hosts().begin(), shared.hosts().end())}});
  return json_text(document);
}

}  // namespace rollcall::elim::show
