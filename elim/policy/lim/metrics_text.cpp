#include "elim/policy/lim/metrics_text.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace rollcall::lim {
namespace {

constexpr std::size_t kPiece = 64 * 1024;

std::string labels(std::string_view host) { return "{host=\"" + metrics_label(host) + "\""; }
std::string labels(std::string_view host, std::string_view name, std::string_view value) {
  return labels(host) + "," + std::string(name) + "=\"" + metrics_label(value) + "\"";
}

void cluster_info(const MetricsView& view, std::size_t host, std::string& out) {
  if (host != 0) return;
  const auto cluster = view.cluster();
  out += "rollcall_cluster_info{cluster=\"" + metrics_label(cluster.name) + "\",master=\"" +
         metrics_label(cluster.master) + "\",version=\"" + metrics_label(cluster.version) + "\"} 1\n";
}

void host_up(const MetricsView& view, std::size_t host, std::string& out) {
  out += "rollcall_host_up" + labels(view.host(host)) + (view.up(host) ? "} 1\n" : "} 0\n");
}

void host_status(const MetricsView& view, std::size_t host, std::string& out) {
  out += "rollcall_host_status" + labels(view.host(host), "status", view.status(host)) + "} 1\n";
}

void load(const MetricsView& view, std::size_t host, std::string& out) {
  for (std::size_t i = 0; i < view.indices(); ++i)
    if (const auto value = view.number(host, i))
      out += "rollcall_load" + labels(view.host(host), "index", view.index(i)) + "} " +
             metrics_number(*value) + "\n";
}

void load_info(const MetricsView& view, std::size_t host, std::string& out) {
  for (std::size_t i = 0; i < view.indices(); ++i) {
    const auto word = view.word(host, i);
    if (word.empty()) continue;
    out += "rollcall_load_info" + labels(view.host(host), "index", view.index(i)) + ",value=\"" +
           metrics_label(word) + "\"} 1\n";
  }
}

void load_age(const MetricsView& view, std::size_t host, std::string& out) {
  for (std::size_t i = 0; i < view.indices(); ++i)
    if (const auto age = view.age_seconds(host, i))
      out += "rollcall_load_age_seconds" + labels(view.host(host), "index", view.index(i)) + "} " +
             metrics_number(*age) + "\n";
}

void elim_state(const MetricsView& view, std::size_t host, std::string& out) {
  for (const auto& elim : view.elims(host))
    out += "rollcall_elim_state" + labels(view.host(host), "elim", elim.name) + ",state=\"" +
           metrics_label(elim.state) + "\"} 1\n";
}

void elim_restarts(const MetricsView& view, std::size_t host, std::string& out) {
  for (const auto& elim : view.elims(host))
    out += "rollcall_elim_restarts_total" + labels(view.host(host), "elim", elim.name) + "} " +
           std::to_string(elim.restarts) + "\n";
}

void elim_errors(const MetricsView& view, std::size_t host, std::string& out) {
  for (const auto& elim : view.elims(host))
    out += "rollcall_elim_errors_total" + labels(view.host(host), "elim", elim.name) + "} " +
           std::to_string(elim.errors) + "\n";
}

struct Family {
  const char* name;
  const char* type;
  const char* help;
  void (*samples)(const MetricsView&, std::size_t host, std::string&);
};
constexpr std::array<Family, 9> kFamilies{{
    {"rollcall_cluster_info", "gauge", "The cluster and its master.", cluster_info},
    {"rollcall_host_up", "gauge", "1 where the host's LIM reports to the master.", host_up},
    {"rollcall_host_status", "gauge", "The host's status as lsload shows it.", host_status},
    {"rollcall_load", "gauge", "A numeric load index, in its own unit.", load},
    {"rollcall_load_info", "gauge", "A String load index.", load_info},
    {"rollcall_load_age_seconds", "gauge", "Time since the value was last told.", load_age},
    {"rollcall_elim_state", "gauge", "What an elim does.", elim_state},
    {"rollcall_elim_restarts_total", "counter", "How often an elim was started again.", elim_restarts},
    {"rollcall_elim_errors_total", "counter", "Strings of an elim that were refused.", elim_errors},
}};

}  // namespace

std::string metrics_label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

std::string metrics_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 64> text{};
  // A float in its shortest form, without the further digits of a double.
  const auto as_float = static_cast<float>(value);
  const auto end = std::abs(value) < 1e15 && value == std::floor(value)
                       ? std::to_chars(text.data(), text.data() + text.size(), static_cast<long long>(value))
                       : std::to_chars(text.data(), text.data() + text.size(), as_float);
  return {text.data(), end.ptr};
}

std::optional<std::string> MetricsText::next() {
  std::string out;
  while (family_ < kFamilies.size() && out.size() < kPiece) {
    const Family& family = kFamilies[family_];
    if (host_ == 0)
      out += std::string("# HELP ") + family.name + " " + family.help + "\n# TYPE " + family.name + " " +
             family.type + "\n";
    while (host_ < view_.hosts() && out.size() < kPiece) family.samples(view_, host_++, out);
    if (host_ < view_.hosts()) break;
    host_ = 0;
    ++family_;
  }
  if (out.empty()) return std::nullopt;
  return out;
}

}  // namespace rollcall::lim
