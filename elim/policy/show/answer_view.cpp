#include "elim/policy/show/answer_view.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "common/base/load_vector.hpp"
#include "elim/policy/show/show_load.hpp"

namespace rollcall::elim::show {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double static_number(const wire::Facts& facts, const std::string& name) {
  const auto known = [](double value) { return value > 0 ? value : kUnknown; };
  if (name == "ncpus") return known(facts.ncpus());
  if (name == "nprocs") return known(facts.nprocs());
  if (name == "ncores") return known(facts.ncores());
  if (name == "nthreads") return known(facts.nthreads());
  if (name == "ndisks") return facts.ndisks();
  if (name == "maxmem") return static_cast<double>(facts.maxmem());
  if (name == "maxswp") return static_cast<double>(facts.maxswp());
  if (name == "maxtmp") return static_cast<double>(facts.maxtmp());
  if (name == "cpuf") return facts.cpu_factor();
  if (name == "rexpri") return facts.rexpri();
  const auto found = facts.values().find(name);
  if (found == facts.values().end()) return kUnknown;
  double value = kUnknown;
  const char* end = found->second.data() + found->second.size();
  const auto read = std::from_chars(found->second.data(), end, value);
  return read.ec == std::errc() && read.ptr == end ? value : kUnknown;
}

}  // namespace

AnswerView::AnswerView(const IndexTable& indices, const wire::Facts& facts, const wire::Reply::Load* load,
                       const std::unordered_map<ResourceId, int>& places)
    : indices_(&indices), facts_(&facts), load_(load), places_(places) {
  status_ = load ? status_word(load->status()) : "unavail";
}

double AnswerView::number(ResourceId id) const {
  const auto place = places_.find(id);
  if (place == places_.end()) return static_number(*facts_, indices_->at(id).name);
  if (!load_ || place->second >= load_->values_size()) return kUnknown;
  const float value = load_->values(place->second);
  return known_load(value) ? value : kUnknown;
}

std::string_view AnswerView::word(ResourceId id) const {
  const std::string& name = indices_->at(id).name;
  if (name == "type") return facts_->type();
  if (name == "model") return facts_->model();
  if (name == "hname") return facts_->name();
  if (name == "status") return status_;
  if (const auto place = places_.find(id); load_ && place != places_.end())
    for (const auto& word : load_->words())
      if (static_cast<int>(word.index()) == place->second) return word.value();
  const auto found = facts_->values().find(name);
  return found == facts_->values().end() ? std::string_view() : found->second;
}

bool AnswerView::has(ResourceId id) const {
  const auto& resource = indices_->at(id);
  if (resource.type == ResourceType::numeric) return number(id) == number(id);
  if (resource.type == ResourceType::string) return !word(id).empty();
  if (resource.name == "server") return facts_->server();
  const auto& booleans = facts_->booleans();
  return std::find(booleans.begin(), booleans.end(), resource.name) != booleans.end();
}

std::vector<AnswerView> answer_views(const IndexTable& indices, const wire::Reply::Hosts& hosts,
                                     const wire::Reply::Loads& loads) {
  std::unordered_map<ResourceId, int> places;
  for (int place = 0; place < loads.names_size(); ++place)
    if (const auto id = indices.find(loads.names(place))) places[*id] = place;
  std::unordered_map<std::string, const wire::Reply::Load*> by_host;
  for (const auto& load : loads.hosts()) by_host[load.host()] = &load;
  std::vector<AnswerView> views;
  for (const auto& facts : hosts.hosts()) {
    const auto load = by_host.find(facts.name());
    views.emplace_back(indices, facts, load == by_host.end() ? nullptr : load->second, places);
  }
  return views;
}

}  // namespace rollcall::elim::show
