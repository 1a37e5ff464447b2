#include "common/conf/host_section.hpp"

#include <algorithm>
#include <unordered_map>

#include "common/base/host_list.hpp"
#include "common/conf/row_reader.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

const std::vector<std::string> kColumns{"model", "type", "server", "RESOURCES", "nd", "RUNWINDOW", "REXPRI"};
constexpr int kMostDisks = 100'000;

// Types that a host finds in itself; a site need not name them in lsf.shared.
constexpr std::string_view kDetectedTypes[] = {"X86_64", "AARCH64", "PPC64LE", "S390X", "RISCV64"};

class HostReader {
 public:
  HostReader(const Row& row, const LsfShared& shared, const IndexTable& indices, Problems& problems)
      : row_(row), shared_(shared), indices_(indices), cells_(row, problems) {}

  // None: the row has no valid name.
  std::optional<ClusterHost> read() {
    ClusterHost host;
    host.place = row_.place;
    host.name = cells_.required("HOSTNAME");
    if (host.name.empty()) return std::nullopt;
    if (!host_name(host.name)) {
      cells_.error("HOSTNAME", host.name, "letters, digits, '-', '.', '_'");
      return std::nullopt;
    }
    host.type = type();
    host.model = model();
    host.server = cells_.whole("server", 0, 1).value_or(1) == 1;
    for (const std::string& word : cells_.words("RESOURCES")) take_resource(host, word);
    host.disks = cells_.whole("nd", 0, kMostDisks).value_or(-1);
    host.run_windows = cells_.windows("RUNWINDOW");
    host.rexpri = cells_.whole("REXPRI", -20, 20).value_or(0);
    for (const auto& [column, cell] : row_.cells())
      if (const ResourceDefinition* index = threshold_index(indices_, column))
        take_threshold(host, column, *index);
    return host;
  }

 private:
  std::optional<std::string> type() {
    const std::string word = cells_.word("type");
    if (word.empty() || word == "!") return std::nullopt;
    const auto& known = shared_.host_types;
    if (std::find(known.begin(), known.end(), word) == known.end() && !is_detected_type(word)) {
      cells_.error("type", word, "! or a type of section HostType in lsf.shared");
      return std::nullopt;  // the host finds its own
    }
    return word;
  }

  std::optional<std::string> model() {
    const std::string word = cells_.word("model");
    if (word.empty() || word == "!") return std::nullopt;
    if (shared_.model(word)) return word;
    cells_.error("model", word, "! or a model of section HostModel in lsf.shared");
    return std::nullopt;  // the host finds its own
  }

  void take_resource(ClusterHost& host, std::string_view word) {
    const std::size_t equals = word.find('=');
    const bool only_by_name = word.starts_with('!');
    const std::string name(word.substr(only_by_name ? 1 : 0, equals - (only_by_name ? 1 : 0)));
    const auto id = indices_.find(name);
    // How ncpus is counted; needs no row in lsf.shared.
    const bool counting = !id && name.starts_with("define_ncpus_") && reserved_resource_name(name);
    if (!id && shared_.invalid_resource(name)) return;
    if (!id && !counting) return cells_.error("RESOURCES", word, "a resource of lsf.shared");
    if (counting || indices_.at(*id).type == ResourceType::boolean)
      take_boolean(host, name, only_by_name, equals != std::string_view::npos);
    else
      take_value(host, indices_.at(*id), word, equals);
  }

  void take_boolean(ClusterHost& host, const std::string& name, bool only_by_name, bool has_value) {
    if (has_value) return cells_.error("RESOURCES", name + "=", "the name alone of a Boolean resource");
    const auto add = [&name](std::vector<std::string>& names) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    add(host.booleans);
    if (only_by_name) add(host.dedicated);
  }

  void take_value(ClusterHost& host, const ResourceDefinition& definition, std::string_view word,
                  std::size_t equals) {
    if (definition.built_in) return cells_.error("RESOURCES", word, "a resource that is not built in");
    if (definition.dynamic()) {
      if (equals != std::string_view::npos)
        return cells_.error("RESOURCES", word, definition.name + " without a value: an elim reports it");
      host.reported.push_back(definition.name);
      return;
    }
    if (equals == std::string_view::npos || equals + 1 == word.size())
      return cells_.error("RESOURCES", word, definition.name + "=VALUE");
    const std::string value(word.substr(equals + 1));
    if (definition.type == ResourceType::numeric && !parse_real(value))
      return cells_.error("RESOURCES", word, definition.name + "=NUMBER");
    if (!host.values.insert_or_assign(definition.name, value).second)
      cells_.warning("RESOURCES", word, definition.name + " once; this value counts");
  }

  void take_threshold(ClusterHost& host, std::string_view column, const ResourceDefinition& index) {
    auto value = cells_.real(column, -1e30, 1e30);
    if (!value) return;
    // ut is written as a fraction or in per cent.
    if (index.name == "ut" && *value > 1) *value /= 100;
    host.thresholds[index.name] = *value;
  }

  const Row& row_;
  const LsfShared& shared_;
  const IndexTable& indices_;
  RowReader cells_;
};

}  // namespace

bool is_detected_type(std::string_view type) {
  return std::find(std::begin(kDetectedTypes), std::end(kDetectedTypes), type) != std::end(kDetectedTypes);
}

std::vector<ClusterHost> read_host_section(const SectionFile& file, const LsfShared& shared,
                                           const IndexTable& indices, HostNames& names, Problems& problems) {
  std::vector<ClusterHost> hosts;
  std::unordered_map<std::string, std::size_t> known;  // where in `hosts`, by the name in small letters
  for (const Section* section : file.all("Host")) {
    Keywords keywords{{"HOSTNAME"}, kColumns};
    const auto columns = threshold_keywords(*section, indices);
    keywords.known.insert(keywords.known.end(), columns.begin(), columns.end());
    const auto& invalid = shared.invalid_resources;  // the row in lsf.shared has the error
    keywords.known.insert(keywords.known.end(), invalid.begin(), invalid.end());
    if (!check_keywords(*section, keywords, problems)) continue;
    for (const Row& row : section->rows) {
      auto host = HostReader(row, shared, indices, problems).read();
      if (!host) continue;
      host->name = names.short_of_domain(host->name);
      const auto [other, first] = known.emplace(lower(host->name), hosts.size());
      if (!first) {
        problems.error(row.place, "HOSTNAME: found " + printable(host->name) + " again (first at " +
                                      hosts[other->second].place.text() + "), expected each host once");
        continue;
      }
      names.add_official(host->name);
      hosts.push_back(std::move(*host));
    }
  }
  return hosts;
}

}  // namespace rollcall::conf
