#include "elim/policy/lim_facts.hpp"

namespace rollcall::lim {

wire::Facts to_wire(const HostFacts& facts) {
  wire::Facts w;
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

HostFacts from_wire(const wire::Facts& w) {
  HostFacts facts;
  facts.name = w.name();
  facts.type = w.type();
  facts.model = w.model();
  if (w.cpu_factor() > 0) facts.cpu_factor = w.cpu_factor();
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
  facts.booleans.assign(w.booleans().begin(), w.booleans().end());
  facts.dedicated.assign(w.dedicated().begin(), w.dedicated().end());
  for (const auto& [name, value] : w.values()) facts.values.emplace(name, value);
  facts.topology = w.topology();
  return facts;
}

}  // namespace rollcall::lim
