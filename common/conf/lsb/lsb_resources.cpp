// Sections of lsb.resources, horizontal or vertical:
//
//   HostExport           PER_HOST SLOTS | RES_SELECT NHOSTS, DISTRIBUTION, [MEM] [SWAP or SWP] [TYPE=shared]
//   SharedResourceExport NAME NINSTANCES DISTRIBUTION
//   Limit                NAME, consumers, amounts: see ResourceLimit
//   ResourceReservation  NAME [USERS] [HOSTS] [TIME_WINDOW]
//   ReservationUsage     RESOURCE [METHOD] [RESERVE]
//
//   amounts = AMOUNT | { "[" AMOUNT { window } "]" }     AMOUNT = NUMBER [ "%" ]
#include "common/conf/lsb/lsb_resources.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/lsb/lease_bounds.hpp"
#include "common/conf/row_reader.hpp"
#include "common/conf/without_effect.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

const std::vector<std::string> kConsumers{"USERS", "PER_USER", "QUEUES",       "PER_QUEUE",
                                          "HOSTS", "PER_HOST", "PROJECTS",     "PER_PROJECT",
                                          "APPS",  "PER_APP",  "LIC_PROJECTS", "PER_LIC_PROJECT"};
const std::vector<std::string> kAmounts{"SLOTS", "SLOTS_PER_PROCESSOR", "MEM", "SWP", "TMP", "JOBS"};

Places places_of(const Row& row) {
  Places places;
  for (const char* keyword : {"PER_HOST", "RES_SELECT", "NAME", "DISTRIBUTION"})
    if (const Cell* cell = row.given(keyword)) places[keyword] = cell->place;
  return places;
}

// Shares of clusters: whole, positive, at least one; those of a cluster that is named twice are added.
std::optional<std::vector<Share>> distribution(const Row& row, RowReader& cells) {
  static constexpr const char* kWord = "DISTRIBUTION";
  static constexpr const char* kForm = "([CLUSTER, SHARES] ...)";
  const Cell* cell = row.given(kWord);
  if (!cell) return cells.error(kWord, "", kForm), std::nullopt;
  const auto shares = parse_shares(cell->text, 1);
  if (!shares) return cells.told(kWord, shares.error().text), std::nullopt;
  if (shares->empty()) return cells.error(kWord, cell->text, kForm), std::nullopt;
  std::map<std::string, double> sums;
  for (const Share& share : *shares)
    if ((sums[share.name] += share.amount) > kMostShares || share.amount != std::floor(share.amount))
      return cells.error(kWord, cell->text,
                         "whole numbers of shares, at most " + std::to_string(kMostShares)),
             std::nullopt;
  if (!documented_shares(cell->text)) cells.warning(kWord, cell->text, kForm);
  std::set<std::string> named;
  for (const Share& share : *shares)
    if (!named.insert(share.name).second)
      cells.warning(kWord, share.name, "each cluster once: its shares are added");
  return *shares;
}

// SWP is the documented word; SWAP counts without it.
std::optional<int> swap_of(const Row& row, RowReader& cells) {
  const Cell* swap = row.given("SWAP");
  if (!row.given("SWP")) return cells.whole("SWAP", 0, kMaxSeconds);
  if (swap) cells.warning("SWAP", swap->text, "SWAP or SWP, not both: SWP counts");
  return cells.whole("SWP", 0, kMaxSeconds);
}

void read_host_export(const Row& row, LsbResources& resources, Problems& problems) {
  RowReader cells(row, problems);
  HostExport lease{.hosts = cells.words("PER_HOST"),
                   .select = cells.text("RES_SELECT"),
                   .place = row.place,
                   .places = places_of(row)};
  lease.host_count = cells.whole("NHOSTS", 1, kMaxTasks);
  lease.slots = cells.whole("SLOTS", 1, kMaxTasks);
  lease.memory_mb = cells.whole("MEM", 0, kMaxSeconds);
  lease.swap_mb = swap_of(row, cells);
  const std::string type = cells.word("TYPE");
  lease.shared = same_name(type, "shared");
  if (!type.empty() && !lease.shared) cells.error("TYPE", type, "shared or nothing");
  const auto shares = distribution(row, cells);
  if (!shares) return;
  lease.distribution = *shares;
  if (lease.hosts.empty()) {
    if (lease.select.empty()) lease.select = "type==any";
    if (!lease.host_count) cells.error("NHOSTS", "", "how many hosts, or PER_HOST with their names");
    if (lease.slots) cells.error("SLOTS", std::to_string(*lease.slots), "SLOTS only with PER_HOST");
  } else {
    if (!lease.select.empty()) cells.error("RES_SELECT", lease.select, "RES_SELECT or PER_HOST, not both");
    if (!lease.slots && !row.given("SLOTS")) cells.error("SLOTS", "", "how many slots of each host");
  }
  if (cells.valid()) resources.host_exports.push_back(std::move(lease));
}

// None: the text is not an amount.
std::optional<LimitAmount> amount_of(std::string_view text) {
  const auto words = split_words(text);
  if (words.empty()) return std::nullopt;
  LimitAmount amount;
  std::string_view number = words[0];
  amount.percent = number.ends_with('%');
  if (amount.percent) number.remove_suffix(1);
  const auto value = parse_real(number);
  auto windows = TimeWindows::parse(join({words.begin() + 1, words.end()}));
  if (!value || *value < 0 || !windows) return std::nullopt;
  amount.amount = *value;
  amount.windows = *windows;
  return amount;
}

std::vector<LimitAmount> read_amounts(const Row& row, const std::string& keyword, RowReader& cells) {
  std::vector<LimitAmount> amounts;
  const Cell* cell = row.given(keyword);
  if (!cell) return amounts;
  std::string_view rest = trim(cell->text);
  if (rest.starts_with('(') && rest.ends_with(')')) rest = trim(rest.substr(1, rest.size() - 2));
  const bool listed = rest.starts_with('[');
  while (!rest.empty()) {
    const std::size_t close = listed ? rest.find(']') : rest.size();
    const bool broken = listed && (!rest.starts_with('[') || close == std::string_view::npos);
    const auto amount =
        broken ? std::nullopt : amount_of(rest.substr(listed ? 1 : 0, close - (listed ? 1 : 0)));
    if (!amount) {
      cells.error(keyword, cell->text, "NUMBER, NUMBER% or [NUMBER TIME_WINDOW] ...");
      return {};
    }
    amounts.push_back(*amount);
    rest = listed ? trim_left(rest.substr(close + 1)) : std::string_view{};
  }
  return amounts;
}

// Percents have no unit.
void scale(std::vector<LimitAmount>& amounts, double unit) {
  for (LimitAmount& amount : amounts)
    if (!amount.percent) amount.amount *= unit;
}

// A word that is not known may be a consumer: without it the limit would hold for more than was meant.
bool is_known_limit(const Row& row, const Keywords& known, Problems& problems) {
  for (const auto& given : row.cells()) {
    const auto is = [&](const std::string& name) { return same_name(name, given.first); };
    if (!row.given(given.first) || std::any_of(known.known.begin(), known.known.end(), is)) continue;
    problems.warning(given.second.place, "a limit with " + printable(given.first) + " is not in force");
    return false;
  }
  return true;
}

void read_limit(const Row& row, const LimitUnit& unit, LsbResources& resources, Problems& problems) {
  RowReader cells(row, problems);
  ResourceLimit limit{.name = cells.word("NAME"), .place = row.place};
  for (const std::string& keyword : kConsumers)
    if (row.given(keyword)) limit.consumers[keyword] = cells.words(keyword);
  for (const std::string& keyword : kAmounts)
    if (auto amounts = read_amounts(row, keyword, cells); !amounts.empty())
      limit.amounts[keyword] = std::move(amounts);
  scale(limit.amounts["MEM"], unit.memory_mb());
  scale(limit.amounts["SWP"], unit.memory_mb());
  scale(limit.amounts["TMP"], unit.tmp_mb());
  std::erase_if(limit.amounts, [](const auto& amounts) { return amounts.second.empty(); });
  if (const Cell* cell = row.given("RESOURCE")) {
    const auto shares = parse_shares(cell->text, 0);
    if (!shares) return cells.told("RESOURCE", shares.error().text);
    limit.resources = *shares;
    for (Share& share : limit.resources)
      share.amount *= share.name == "mem" || share.name == "swp" ? unit.memory_mb()
                      : share.name == "tmp"                      ? unit.tmp_mb()
                                                                 : 1;
  }
  for (const auto& [all, each] : {std::pair("USERS", "PER_USER"), std::pair("QUEUES", "PER_QUEUE"),
                                  std::pair("HOSTS", "PER_HOST"), std::pair("PROJECTS", "PER_PROJECT")})
    if (limit.consumers.contains(all) && limit.consumers.contains(each))
      cells.error(each, row.find(each)->text, std::string(all) + " or " + each + ", not both");
  if (limit.amounts.contains("SLOTS_PER_PROCESSOR")) {
    if (limit.amounts.contains("SLOTS"))
      cells.error("SLOTS_PER_PROCESSOR", row.find("SLOTS_PER_PROCESSOR")->text,
                  "SLOTS or SLOTS_PER_PROCESSOR, not both");
    if (!limit.consumers.contains("PER_HOST"))
      cells.error("SLOTS_PER_PROCESSOR", row.find("SLOTS_PER_PROCESSOR")->text, "PER_HOST beside it");
  }
  if (cells.valid() && limit.amounts.empty() && limit.resources.empty())
    cells.warning("NAME", limit.name, "an amount: SLOTS MEM SWP TMP JOBS or RESOURCE");
  if (cells.valid()) resources.limits.push_back(std::move(limit));
}

void read_method(const Row& row, LsbResources& resources, Problems& problems) {
  RowReader cells(row, problems);
  ReservationMethod method{cells.required("RESOURCE"), cells.word("METHOD"),
                           cells.yes_no("RESERVE").value_or(true), row.place};
  const auto& name = method.method;
  if (!name.empty() && name != "PER_JOB" && name != "PER_HOST" && name != "PER_SLOT" && name != "PER_TASK")
    cells.error("METHOD", name, "PER_JOB, PER_HOST, PER_SLOT or PER_TASK");
  if (cells.valid()) resources.reservation_methods.push_back(std::move(method));
}

}  // namespace

Place place_of(const Places& places, std::string_view keyword, const Place& otherwise) {
  const auto found = places.find(keyword);
  return found == places.end() ? otherwise : found->second;
}

LsbResources read_lsb_resources(const SectionFile& file, const LimitUnit& unit, Problems& problems) {
  LsbResources resources;
  check_sections(file,
                 {"HostExport", "SharedResourceExport", "Limit", "ResourceReservation", "ReservationUsage"},
                 problems);
  each_row(file, "HostExport",
           {{}, {"PER_HOST", "RES_SELECT", "NHOSTS", "DISTRIBUTION", "SLOTS", "MEM", "SWAP", "SWP", "TYPE"}},
           problems, [&](const Row& row) { read_host_export(row, resources, problems); });
  each_row(file, "SharedResourceExport", {{"NAME", "NINSTANCES", "DISTRIBUTION"}, {}}, problems,
           [&](const Row& row) {
             RowReader cells(row, problems);
             SharedResourceExport lease{
                 .name = cells.required("NAME"), .place = row.place, .places = places_of(row)};
             lease.instances = cells.whole("NINSTANCES", 1, kMostInstances).value_or(1);
             const auto shares = distribution(row, cells);
             if (!shares || !cells.valid()) return;
             lease.distribution = *shares;
             resources.resource_exports.push_back(std::move(lease));
           });
  Keywords limit{{}, {"NAME", "RESOURCE"}};
  limit.known.insert(limit.known.end(), kConsumers.begin(), kConsumers.end());
  limit.known.insert(limit.known.end(), kAmounts.begin(), kAmounts.end());
  limit = with_known("lsb.resources", "Limit", std::move(limit));
  each_row(file, "Limit", limit, problems, [&](const Row& row) {
    if (is_known_limit(row, limit, problems)) read_limit(row, unit, resources, problems);
  });
  each_row(file, "ResourceReservation", {{"NAME"}, {"USERS", "HOSTS", "TIME_WINDOW"}}, problems,
           [&](const Row& row) {
             RowReader cells(row, problems);
             ReservationPolicy policy{cells.required("NAME"), cells.words("USERS"), cells.words("HOSTS"),
                                      cells.windows("TIME_WINDOW"), row.place};
             if (cells.valid()) resources.reservations.push_back(std::move(policy));
           });
  each_row(file, "ReservationUsage", {{"RESOURCE"}, {"METHOD", "RESERVE"}}, problems,
           [&](const Row& row) { read_method(row, resources, problems); });
  return resources;
}

}  // namespace rollcall::conf
