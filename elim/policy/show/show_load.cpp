#include "elim/policy/show/show_load.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/base/index_table.hpp"
#include "common/base/load_vector.hpp"
#include "common/base/output_format.hpp"
#include "common/base/table_cells.hpp"
#include "common/base/terminal_text.hpp"
#include "elim/policy/load/elim_state_word.hpp"
#include "elim/policy/show/json_text.hpp"

namespace rollcall::elim::show {
namespace {

constexpr std::uint32_t kStringType = 2;  // Resource.type
constexpr std::uint32_t kNever = 4294967295U;
constexpr std::size_t kAgeWidth = 6;

struct Column {
  std::string name;
  int place = 0;  // in Loads.names
  std::size_t width = 0;
  bool word = false;
};

// The widths of 10.1, the blank before the column included.
std::size_t width_of(const std::string& index) {
  if (index == "ut") return 5;
  if (index == "ls") return 4;
  return std::max<std::size_t>(6, index.size() + 1);
}

Column column(const Loads& loads, int place) {
  const std::string& name = loads.names(place);
  return {name, place, width_of(name), type_of(loads, place) == kStringType};
}

Result<std::vector<Column>> columns_of(const Loads& loads, const LoadTable& table) {
  std::vector<Column> columns;
  for (const auto& wanted : table.indices) {
    const auto formal = formal_name(wanted);
    const auto at = std::find(loads.names().begin(), loads.names().end(), formal);
    if (at == loads.names().end()) return usage_error("-I: found \"" + wanted + "\", expected a load index");
    columns.push_back(column(loads, static_cast<int>(at - loads.names().begin())));
  }
  if (!table.indices.empty()) return columns;
  const bool complete = table.form == LoadTable::Form::complete;
  for (int place = 0; place < loads.names_size(); ++place)
    if (complete || (is_built_in(loads, place) && loads.names(place) != "io"))
      columns.push_back(column(loads, place));
  return columns;
}

const std::string& word_at(const wire::Reply::Load& host, int place) {
  static const std::string unknown = "-";
  for (const auto& word : host.words())
    if (static_cast<int>(word.index()) == place && !word.value().empty()) return word.value();
  return unknown;
}

bool is_beyond(const wire::Reply::Load& host, int place) {
  const auto& beyond = host.beyond();
  return std::find(beyond.begin(), beyond.end(), static_cast<unsigned>(place)) != beyond.end();
}

std::string cell(const wire::Reply::Load& host, const Column& column) {
  // Control characters are removed here, since a table with colours is printed as it is.
  if (column.word) return terminal_text(word_at(host, column.place), Controls::none);
  const float value = column.place < host.values_size() ? host.values(column.place) : kUnknownLoad;
  return (is_beyond(host, column.place) ? "*" : "") + load_cell(column.name, value);
}

constexpr const char* kRed = "\033[31m";
constexpr const char* kYellow = "\033[33m";
constexpr const char* kPlain = "\033[0m";

const char* colour_of(const wire::Reply::Status& status) {
  if (status.unavailable() || status.res_down()) return kRed;
  const bool locked =
      status.locked_by_administrator() || status.locked_by_window() || status.locked_by_master();
  return locked || status.busy() ? kYellow : nullptr;
}

std::string coloured(const std::string& text, const char* colour) {
  return colour ? colour + text + kPlain : text;
}

std::string host_cells(std::string_view host, const std::string& status, const char* colour,
                       LoadTable::Form form) {
  const bool narrow = form == LoadTable::Form::narrow;
  const std::string name = narrow ? left(host.substr(0, 15), 15) : left(host, 22);
  return name + coloured(right(status, narrow ? 7 : 8), colour);
}

// Seconds since the oldest of the values was measured that are not static; "-": none has an age.
std::string age_cell(const wire::Reply::Load& host) {
  std::uint32_t oldest = 0;
  bool any = false;
  for (const auto age : host.age_ms()) {
    if (age == kNever) continue;
    any = true;
    oldest = std::max(oldest, age);
  }
  return any ? std::to_string(oldest / 1000) : "-";
}

std::string host_row(const wire::Reply::Load& host, const std::vector<Column>& columns,
                     const LoadTable& table) {
  std::string row = host_cells(host.host(), status_word(host.status()),
                               table.colour ? colour_of(host.status()) : nullptr, table.form);
  if (host.status().unavailable()) return row + '\n';
  for (const auto& column : columns) {
    const bool marked = table.colour && is_beyond(host, column.place);
    row += ' ' + coloured(right(cell(host, column), column.width - 1), marked ? kYellow : nullptr);
  }
  if (table.age) row += right(age_cell(host), kAgeWidth);
  return row + '\n';
}

nlohmann::ordered_json elims_json(const wire::Reply::Load& host) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& elim : host.elims())
    list.push_back({{"NAME", elim.name()},
                    {"STATE", load::elim_state_word(elim.state())},
                    {"RESTARTS", elim.restarts()},
                    {"ERRORS", elim.errors()},
                    {"LAST_ERROR", elim.last_error()}});
  return list;
}

nlohmann::ordered_json value_json(const Loads& loads, const wire::Reply::Load& host, int place) {
  if (type_of(loads, place) == kStringType) {
    const std::string& word = word_at(host, place);
    return word == "-" ? nlohmann::ordered_json() : nlohmann::ordered_json(word);
  }
  const bool known = place < host.values_size() && known_load(host.values(place));
  return known ? nlohmann::ordered_json(host.values(place)) : nlohmann::ordered_json();
}

nlohmann::ordered_json host_json(const Loads& loads, const wire::Reply::Load& host) {
  auto load = nlohmann::ordered_json::object(), ages = nlohmann::ordered_json::object();
  auto beyond = nlohmann::ordered_json::array();
  for (int place = 0; place < loads.names_size(); ++place) {
    load[loads.names(place)] = value_json(loads, host, place);
    if (place < host.age_ms_size() && host.age_ms(place) != kNever)
      ages[loads.names(place)] = host.age_ms(place);
  }
  for (const auto place : host.beyond())
    if (static_cast<int>(place) < loads.names_size()) beyond.push_back(loads.names(static_cast<int>(place)));
  nlohmann::ordered_json record{{"HOST_NAME", host.host()}, {"STATUS", status_word(host.status())}};
  record["LOAD"] = std::move(load);
  record["AGE_MS"] = std::move(ages);
  record["BEYOND"] = std::move(beyond);
  if (host.elims_size() > 0) record["ELIMS"] = elims_json(host);
  return record;
}

}  // namespace

std::uint32_t type_of(const Loads& loads, int place) {
  return place < loads.types_size() ? loads.types(place) : 0;
}

bool is_built_in(const Loads& loads, int place) {
  return place < loads.built_in_size() && loads.built_in(place);
}

std::string status_word(const wire::Reply::Status& status) {
  if (status.unavailable()) return "unavail";
  std::string word;
  if (status.locked_by_administrator() || status.locked_by_window() || status.locked_by_master()) {
    word = "lock";
    if (status.locked_by_administrator()) word += 'U';
    if (status.locked_by_window()) word += 'W';
    if (status.locked_by_master()) word += 'M';
  } else {
    word = status.busy() ? "busy" : "ok";
  }
  return (status.res_down() ? "-" : "") + word;
}

Result<std::string> load_table(const Loads& loads, const LoadTable& table) {
  const auto columns = columns_of(loads, table);
  if (!columns) return columns.error();
  std::string text = host_cells("HOST_NAME", "status", nullptr, table.form);
  for (const auto& column : *columns) text += right(column.name, column.width);
  if (table.age) text += right("age", kAgeWidth);
  text += '\n';
  for (const auto& host : loads.hosts()) text += host_row(host, *columns, table);
  return text;
}

void append_loads(Loads& to, const Loads& more) {
  std::vector<std::optional<int>> places;  // in `more`, of each index of `to`
  for (const auto& name : to.names()) {
    const auto at = std::find(more.names().begin(), more.names().end(), name);
    places.push_back(at == more.names().end() ? std::nullopt
                                              : std::optional(static_cast<int>(at - more.names().begin())));
  }
  for (const auto& host : more.hosts()) {
    auto& added = *to.add_hosts();
    added = host;
    for (auto* const list : {added.mutable_beyond(), added.mutable_age_ms()}) list->Clear();
    added.clear_values();
    added.clear_words();
    for (std::size_t place = 0; place < places.size(); ++place) {
      const auto from = places[place];
      added.add_values(from && *from < host.values_size() ? host.values(*from) : kUnknownLoad);
      added.add_age_ms(from && *from < host.age_ms_size() ? host.age_ms(*from) : kNever);
      if (!from) continue;
      if (is_beyond(host, *from)) added.add_beyond(static_cast<std::uint32_t>(place));
      for (const auto& word : host.words())
        if (static_cast<int>(word.index()) == *from) {
          auto& moved = *added.add_words() = word;
          moved.set_index(static_cast<std::uint32_t>(place));
        }
    }
  }
}

Result<std::string> load_fields(const Loads& loads, const std::string& format) {
  std::vector<OutputField> fields{{"host_name", "HOST_NAME", 20, {"hname", "host"}},
                                  {"status", "status", 15, {}}};
  for (const auto& name : loads.names())
    fields.push_back({name, name, std::max<std::size_t>(6, name.size()), {}});
  const std::size_t age = fields.size();
  if (std::find(loads.names().begin(), loads.names().end(), "age") == loads.names().end())
    fields.push_back({"age", "age", kAgeWidth, {}});
  const auto chosen = OutputFormat::parse(format, fields);
  if (!chosen) return chosen.error();
  std::string text = chosen->header(fields);
  for (const auto& host : loads.hosts()) {
    std::vector<std::string> values;
    for (const auto& field : chosen->chosen()) {
      if (field.field == 0)
        values.push_back(host.host());
      else if (field.field == 1)
        values.push_back(status_word(host.status()));
      else if (host.status().unavailable())
        values.push_back("-");
      else if (field.field == age)
        values.push_back(age_cell(host));
      else
        values.push_back(cell(host, column(loads, static_cast<int>(field.field) - 2)));
    }
    text += chosen->line(values);
  }
  return text;
}

std::string load_json(const Loads& loads, const std::string& command) {
  nlohmann::ordered_json document{{"COMMAND", command}, {"HOSTS", loads.hosts_size()}};
  auto& records = document["RECORDS"] = nlohmann::ordered_json::array();
  for (const auto& host : loads.hosts()) records.push_back(host_json(loads, host));
  return json_text(document);
}

}  // namespace rollcall::elim::show
