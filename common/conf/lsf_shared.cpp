// Sections of lsf.shared, each with its keywords in any order:
//
//   Cluster    ClusterName [Servers]                          Servers: hosts, with or without parentheses
//   HostType   TYPENAME
//   HostModel  MODELNAME CPUFACTOR [ARCHITECTURE]             ARCHITECTURE: words, with or without parentheses
//   Resource   RESOURCENAME [TYPE] [INTERVAL] [INCREASING] [RELEASE] [CONSUMABLE] DESCRIPTION
//   NewIndex   NAME INTERVAL INCREASING DESCRIPTION           of LSF 3: a Numeric resource that every host has
#include "common/conf/lsf_shared.hpp"

#include <algorithm>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/row_reader.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

constexpr std::size_t kLongestName = 39;  // characters, as LSF 7.3 has it
constexpr std::string_view kNotInNames = ":.()[]+-*/!&|<>@=,\"'";

// Characters of UTF-8, not bytes.
std::size_t characters(std::string_view name) {
  return static_cast<std::size_t>(std::count_if(
      name.begin(), name.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

class ResourceReader {
 public:
  ResourceReader(const Row& row, std::string_view name_keyword, Problems& problems)
      : row_(row), cells_(row, problems), name_keyword_(name_keyword) {}

  // None: the row has no valid name.
  std::optional<SharedResource> read(bool new_index) {
    SharedResource resource;
    resource.place = row_.place;
    resource.every_host = new_index;
    ResourceDefinition& definition = resource.definition;
    definition.name = cells_.required(name_keyword_);
    if (definition.name.empty() || !check_name(definition.name)) return std::nullopt;
    definition.type = new_index ? ResourceType::numeric : type();
    definition.interval = cells_.whole("INTERVAL", 1, kMaxSeconds);
    if (new_index && !definition.interval) definition.interval = 15;
    if (const auto increasing = cells_.yes_no("INCREASING"))
      definition.order = *increasing ? ResourceOrder::increasing : ResourceOrder::decreasing;
    if (const auto release = cells_.yes_no("RELEASE")) definition.release = *release;
    definition.consumable = cells_.yes_no("CONSUMABLE");
    definition.description = cells_.text("DESCRIPTION");
    if (!cells_.valid()) return std::nullopt;
    check_fit(definition);
    return resource;
  }

 private:
  bool check_name(const std::string& name) {
    const bool odd = std::any_of(name.begin(), name.end(), [](char c) {
      return kNotInNames.find(c) != std::string_view::npos || static_cast<unsigned char>(c) < 0x21 ||
             c == 0x7f;
    });
    if (odd || (name.front() >= '0' && name.front() <= '9')) {
      cells_.error(name_keyword_, name,
                   "a name that begins with no digit and has none of " + std::string(kNotInNames));
      return false;
    }
    if (name.starts_with("define_ncpus_") && reserved_resource_name(name)) {
      // Files of LSF 10.1 define them; how ncpus is counted needs no row.
      cells_.warning(name_keyword_, name, "no row: the name is reserved, and the row is ignored");
      return false;
    }
    if (reserved_resource_name(name)) {
      cells_.error(name_keyword_, name, "a name that is not built in");
      return false;
    }
    const std::string start = lower(name.substr(0, 3));
    if (start == "inf" || start == "nan")
      cells_.warning(name_keyword_, name,
                     "a name that no requirement takes for a number; write defined(" + name + ")");
    if (characters(name) > kLongestName)
      cells_.warning(name_keyword_, name, "at most " + std::to_string(kLongestName) + " characters");
    return true;
  }

  ResourceType type() {
    const std::string word = cells_.word("TYPE");
    if (word.empty() || same_name(word, "Boolean")) return ResourceType::boolean;
    if (same_name(word, "Numeric")) return ResourceType::numeric;
    if (same_name(word, "String")) return ResourceType::string;
    cells_.error("TYPE", word, "Boolean, Numeric or String");
    return ResourceType::boolean;
  }

  void check_fit(ResourceDefinition& definition) {
    if (definition.interval && definition.type == ResourceType::boolean) {
      cells_.warning("INTERVAL", std::to_string(*definition.interval),
                     "() for a Boolean resource, which never changes");
      definition.interval.reset();
    }
    if (definition.order != ResourceOrder::none && definition.type != ResourceType::numeric) {
      cells_.warning("INCREASING", row_.find("INCREASING")->text, "() for a resource that is no number");
      definition.order = ResourceOrder::none;
    }
  }

  const Row& row_;
  RowReader cells_;
  std::string_view name_keyword_;
};

void add_resource(LsfShared& shared, SharedResource resource, Problems& problems) {
  for (const SharedResource& other : shared.resources) {
    if (other.definition.name != resource.definition.name) continue;
    const std::string text = "found the resource " + other.definition.name + " again (first at " +
                             other.place.text() + "), expected it once";
    if (other.definition == resource.definition)
      problems.warning(resource.place, text);
    else
      problems.error(resource.place, text);
    return;
  }
  shared.resources.push_back(std::move(resource));
}

void read_clusters(const SectionFile& file, const std::string& file_name, LsfShared& shared,
                   Problems& problems) {
  each_row(file, "Cluster", {{"ClusterName"}, {"Servers"}}, problems, [&](const Row& row) {
    RowReader cells(row, problems);
    ClusterRow cluster{cells.required("ClusterName"), cells.words("Servers"), row.place};
    if (cluster.name.empty()) return;
    // The name is part of a file name.
    if (!host_name(cluster.name))
      return cells.error("ClusterName", cluster.name, "letters, digits, '-', '.', '_'");
    for (const ClusterRow& other : shared.clusters)
      if (other.name == cluster.name)
        return cells.error("ClusterName", cluster.name,
                           "a cluster that is not at " + other.place.text() + " too");
    shared.clusters.push_back(std::move(cluster));
  });
  if (shared.clusters.empty())
    problems.fatal({file_name, 0},
                   "found no cluster, expected a section Cluster with ClusterName and one row or more");
}

void read_models(const SectionFile& file, LsfShared& shared, Problems& problems) {
  each_row(file, "HostModel", {{"MODELNAME", "CPUFACTOR"}, {"ARCHITECTURE"}}, problems, [&](const Row& row) {
    RowReader cells(row, problems);
    HostModel model{.name = cells.required("MODELNAME"), .place = row.place};
    if (model.name.empty()) return;
    model.cpu_factor = cells.real("CPUFACTOR", 0, 1e9).value_or(1.0);
    if (model.cpu_factor == 0) return cells.error("CPUFACTOR", "0", "a number above 0");
    if (!cells.valid()) return;
    model.architectures = cells.words("ARCHITECTURE");
    if (const HostModel* other = shared.model(model.name))
      return cells.error("MODELNAME", model.name, "a model that is not at " + other->place.text() + " too");
    shared.models.push_back(std::move(model));
  });
}

}  // namespace

const HostModel* LsfShared::model(std::string_view name) const {
  const auto found =
      std::find_if(models.begin(), models.end(), [name](const HostModel& m) { return m.name == name; });
  return found == models.end() ? nullptr : &*found;
}

bool LsfShared::invalid_resource(std::string_view name) const {
  const auto valid = [name](const SharedResource& resource) { return resource.definition.name == name; };
  return std::find(invalid_resources.begin(), invalid_resources.end(), name) != invalid_resources.end() &&
         std::none_of(resources.begin(), resources.end(), valid);
}

LsfShared read_lsf_shared(const SectionFile& file, const std::string& file_name, Problems& problems) {
  LsfShared shared;
  check_sections(file, {"Cluster", "HostType", "HostModel", "Resource", "NewIndex"}, problems);
  read_clusters(file, file_name, shared, problems);
  each_row(file, "HostType", {{"TYPENAME"}, {}}, problems, [&](const Row& row) {
    const std::string name = RowReader(row, problems).required("TYPENAME");
    if (!name.empty() &&
        std::find(shared.host_types.begin(), shared.host_types.end(), name) == shared.host_types.end())
      shared.host_types.push_back(name);
  });
  read_models(file, shared, problems);
  const auto take = [&](std::string_view name_keyword, bool new_index) {
    return [&, name_keyword, new_index](const Row& row) {
      auto resource = ResourceReader(row, name_keyword, problems).read(new_index);
      if (resource)
        add_resource(shared, std::move(*resource), problems);
      else if (const Cell* name = row.given(name_keyword); name && !reserved_resource_name(name->text))
        shared.invalid_resources.push_back(name->text);
    };
  };
  each_row(file, "Resource",
           {{"RESOURCENAME"}, {"TYPE", "INTERVAL", "INCREASING", "RELEASE", "CONSUMABLE", "DESCRIPTION"}},
           problems, take("RESOURCENAME", false));
  each_row(file, "NewIndex", {{"NAME"}, {"INTERVAL", "INCREASING", "DESCRIPTION"}}, problems,
           take("NAME", true));
  return shared;
}

SectionSyntax lsf_shared_syntax() {
  SectionSyntax syntax;
  syntax.default_keywords = {{"Cluster", {"ClusterName"}}, {"HostType", {"TYPENAME"}}};
  syntax.rest_of_row = {"Servers"};
  return syntax;
}

}  // namespace rollcall::conf
