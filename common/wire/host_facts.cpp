#include "common/wire/host_facts.hpp"

#include <vector>

#include "common/base/terminal_text.hpp"

namespace rollcall::wire {
namespace {

constexpr std::size_t kMostFacts = 128 * 1024;  // bytes without the topology: thousands of resources
constexpr double kMostCpuFactor = 1e9;          // as in lsf.shared

std::vector<std::string> shown_words(const google::protobuf::RepeatedPtrField<std::string>& words) {
  std::vector<std::string> shown;
  for (const std::string& word : words) shown.push_back(shown_word(word));
  return shown;
}

}  // namespace

Facts to_wire(const HostFacts& facts) {
  Facts w;
  w.set_name(facts.name);
  w.set_type(facts.type);
  w.set_model(facts.model);
  w.set_cpu_factor(facts.cpu_factor);
  w.set_server(facts.server);
  w.set_rexpri(facts.rexpri);
  w.set_ncpus(facts.ncpus);
  w.set_nprocs(facts.nprocs);
  w.set_ncores(facts.ncores);
  w.set_nthreads(facts.nthreads);
  w.set_ndisks(facts.ndisks);
  w.set_maxmem(facts.maxmem);
  w.set_maxswp(facts.maxswp);
  w.set_maxtmp(facts.maxtmp);
  for (const std::string& name : facts.booleans) w.add_booleans(name);
  for (const std::string& name : facts.dedicated) w.add_dedicated(name);
  for (const auto& [name, value] : facts.values) (*w.mutable_values())[name] = value;
  w.set_topology(facts.topology);
  return w;
}

HostFacts from_wire(const Facts& w) {
  HostFacts facts;
  facts.name = w.name();
  facts.type = shown_word(w.type());
  facts.model = shown_word(w.model());
  if (w.cpu_factor() > 0 && w.cpu_factor() <= kMostCpuFactor) facts.cpu_factor = w.cpu_factor();
  facts.server = w.server();
  facts.rexpri = w.rexpri();
  facts.ncpus = w.ncpus();
  facts.nprocs = w.nprocs();
  facts.ncores = w.ncores();
  facts.nthreads = w.nthreads();
  facts.ndisks = w.ndisks();
  facts.maxmem = w.maxmem();
  facts.maxswp = w.maxswp();
  facts.maxtmp = w.maxtmp();
  facts.booleans = shown_words(w.booleans());
  facts.dedicated = shown_words(w.dedicated());
  for (const auto& [name, value] : w.values()) facts.values.emplace(shown_word(name), shown_word(value));
  facts.topology = w.topology();
  return facts;
}

Result<void> check_size(const Facts& facts) {
  const std::size_t bytes = facts.ByteSizeLong() - facts.topology().size();
  if (bytes <= kMostFacts) return {};
  return internal_error("found " + std::to_string(bytes) + " bytes of facts, expected at most " +
                        std::to_string(kMostFacts));
}

std::string shown_word(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  return terminal_text(text, Controls::none);  // C1 as well
}

}  // namespace rollcall::wire
