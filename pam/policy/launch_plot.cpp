#include "pam/policy/launch_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "pam/policy/report_rows.hpp"
#include "pam/policy/roll_messages.hpp"

namespace rollcall::pam {
namespace {

// Pixels.
constexpr double kLeft = 150, kChart = 800, kRight = 50, kTop = 96, kBottom = 32;
constexpr double kTaskRow = 5, kHostRow = 12, kGap = 5, kLeastBlock = 12;
constexpr std::size_t kMostNameBytes = 20, kMostTitleBytes = 110;

// How a task ended, from the best to the worst.
enum class Outcome { done, killed, exited, signaled, not_started, lost };
struct OutcomeLook {
  const char* text;
  const char* colour;
};
constexpr std::array<OutcomeLook, 6> kLooks{{{"done", "#3a9a5b"},
                                             {"killed after a failure", "#8a8f98"},
                                             {"exit", "#e69f00"},
                                             {"signal", "#c0392b"},
                                             {"not started", "#222222"},
                                             {"lost", "#8e44ad"}}};

const OutcomeLook& look(Outcome outcome) { return kLooks[static_cast<std::size_t>(outcome)]; }

Outcome outcome_of(const Task& task, bool killed_after_failure) {
  if (killed_after_failure) return Outcome::killed;
  if (task.state == TaskState::not_started) return Outcome::not_started;
  if (task.state != TaskState::ended) return Outcome::lost;
  return task.status.by_signal() ? Outcome::signaled
         : task.status.success() ? Outcome::done
                                 : Outcome::exited;
}

// For a text or an attribute of XML. What is not printable ASCII becomes a question mark: pam cannot know its encoding.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c >= 0x20 && c < 0x7f ? c : '?';
  }
  return out;
}

std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

std::string number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}
std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}
std::string px(double value) { return number("%.1f", value); }

// The step between two marks of the axis: 1, 2 or 5 times a power of ten, at most ten of them.
double step_of(double seconds) {
  const double power = std::pow(10, std::floor(std::log10(seconds / 10)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (seconds / (power * factor) <= 10) return power * factor;
  return power * 10;
}

class Plot {
 public:
  Plot(const Roll& roll, const std::string& command, std::int64_t end_us, const TextSink& sink)
      : roll_(roll), command_(command), sink_(sink), begin_us_(roll.launched_us) {
    if (begin_us_ == 0 && !roll.tasks.empty())
      begin_us_ = std::min_element(roll.tasks.begin(), roll.tasks.end(), [](auto& a, auto& b) {
                    return a.start_us < b.start_us;
                  })->start_us;
    span_ = std::max(0.001, seconds(end_us));
    ids_ = table_ids(roll);
    killed_ = killed_after_failure(roll).killed;
    by_task_ = roll.tasks.size() <= kMostTaskRows;
    choose_hosts();
  }

  void draw() {
    double height = 0;
    for (const auto& tids : hosts_) height += block_height(tids);
    head(kTop + height + kBottom);
    axis(height);
    double y = kTop;
    for (const auto& tids : hosts_) {
      block(tids, y);
      y += block_height(tids);
    }
    sink_("</svg>\n");
  }

 private:
  using Tids = std::vector<Tid>;

  double seconds(std::int64_t us) const { return static_cast<double>(us - begin_us_) / 1e6; }
  double x_of(std::int64_t us) const { return kLeft + kChart * std::clamp(seconds(us) / span_, 0.0, 1.0); }

  Outcome outcome(Tid tid) const {
    return outcome_of(roll_.tasks[tid], std::binary_search(killed_.begin(), killed_.end(), tid));
  }

  std::int64_t last_known(const Tids& tids) const {
    std::int64_t last = 0;
    for (const Tid tid : tids) last = std::max(last, roll_.tasks[tid].known_us);
    return last;
  }

  // Hosts in the order of their first task in the table.
  void choose_hosts() {
    std::vector<std::size_t> place(roll_.tasks.hosts().size(), SIZE_MAX);
    for (const Tid tid : order_of_rows(ids_)) {
      auto& at = place[roll_.tasks[tid].host];
      if (at == SIZE_MAX) {
        at = hosts_.size();
        hosts_.emplace_back();
      }
      hosts_[at].push_back(tid);
    }
    if (hosts_.size() <= kMostHostRows) return;
    std::stable_sort(hosts_.begin(), hosts_.end(),
                     [this](const Tids& a, const Tids& b) { return last_known(a) > last_known(b); });
    hosts_.resize(kMostHostRows);
  }

  double block_height(const Tids& tids) const {
    if (!by_task_) return kHostRow;
    return std::max(kLeastBlock, kTaskRow * static_cast<double>(tids.size())) + kGap;
  }

  void text_at(double x, double y, const std::string& text, const char* more = "") {
    sink_("<text x=\"" + px(x) + "\" y=\"" + px(y) + "\"" + more + ">" + xml(text) + "</text>\n");
  }

  void head(double height) {
    const std::string size = "0 0 " + px(kLeft + kChart + kRight) + " " + px(height);
    sink_("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"" + size + "\" width=\"" +
          px(kLeft + kChart + kRight) + "\" height=\"" + px(height) +
          "\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
          "fill=\"#ffffff\"/>\n");
    text_at(10, 20, shortened(command_, kMostTitleBytes), " font-size=\"14\" font-weight=\"bold\"");
    std::string counts = counted(roll_.tasks.size(), "task") + " on " +
                         counted(roll_.tasks.hosts().size(), "host") + "; " +
                         (by_task_ ? "a row for each task" : "a row for each host");
    if (hosts_.size() < roll_.tasks.hosts().size())
      counts += "; the " + std::to_string(hosts_.size()) + " hosts whose last task registered last";
    text_at(10, 38, counts + "; " + roll_.why);
    double x = 10;
    std::array<std::size_t, kLooks.size()> count{};
    for (Tid tid = 0; tid < roll_.tasks.size(); ++tid) ++count[static_cast<std::size_t>(outcome(tid))];
    for (std::size_t i = 0; i < kLooks.size(); ++i) {
      if (count[i] == 0) continue;
      const std::string label = std::to_string(count[i]) + " " + kLooks[i].text;
      sink_("<rect x=\"" + px(x) + "\" y=\"47\" width=\"10\" height=\"10\" fill=\"" + kLooks[i].colour +
            "\"/>\n");
      text_at(x + 14, 56, label);
      x += 32 + 6.2 * static_cast<double>(label.size());
    }
    text_at(x, 56, "grey line: asked until started; dark tick: registered");
  }

  void axis(double height) {
    const double step = step_of(span_);
    for (double at = 0; at <= span_ * 1.0001; at += step) {
      const std::string x = px(kLeft + kChart * at / span_);
      sink_("<line x1=\"" + x + "\" x2=\"" + x + "\" y1=\"" + px(kTop - 6) + "\" y2=\"" + px(kTop + height) +
            "\" stroke=\"#e4e4e4\"/>\n");
      text_at(kLeft + kChart * at / span_, kTop - 12, number("%.10g s", at),
              " text-anchor=\"middle\" fill=\"#555\"");
    }
  }

  void line(double from, double to, double y) {
    sink_("<line x1=\"" + px(from) + "\" x2=\"" + px(to) + "\" y1=\"" + px(y) + "\" y2=\"" + px(y) +
          "\" stroke=\"#c8c8c8\"/>\n");
  }

  void bar(double from, double to, double y, double height, Outcome outcome) {
    sink_("<rect class=\"" + std::string(look(outcome).text) + "\" x=\"" + px(from) + "\" y=\"" + px(y) +
          "\" width=\"" + px(std::max(1.0, to - from)) + "\" height=\"" + px(height) + "\" fill=\"" +
          look(outcome).colour + "\"/>\n");
  }

  void tick(std::int64_t us, double y, double height) {
    if (us == 0) return;
    sink_("<rect x=\"" + px(x_of(us) - 0.7) + "\" y=\"" + px(y) + "\" width=\"1.4\" height=\"" + px(height) +
          "\" fill=\"#1b1f24\"/>\n");
  }

  std::string at(std::int64_t us) const { return us == 0 ? "?" : number("%.6f s", seconds(us)); }

  void block(const Tids& tids, double y) {
    const std::string& name = roll_.tasks.hosts()[roll_.tasks[tids.front()].host];
    text_at(kLeft - 8, y + 9, shortened(name, kMostNameBytes), " text-anchor=\"end\"");
    if (!by_task_) return host_row(name, tids, y);
    for (const Tid tid : tids) {
      task_row(tid, y);
      y += kTaskRow;
    }
  }

  void task_row(Tid tid, double y) {
    const Task& task = roll_.tasks[tid];
    const Outcome end = outcome(tid);
    const std::string how =
        end == Outcome::exited || end == Outcome::signaled ? task.status.text() : look(end).text;
    sink_("<g><title>" +
          xml(task_name(roll_, tid) + ": started " + at(task.start_us) + ", registered " + at(task.known_us) +
              ", ended " + at(task.end_us) + ": " + how) +
          "</title>\n");
    line(kLeft, x_of(task.start_us), y + 2);
    const double start = x_of(task.start_us);
    bar(start, task.end_us == 0 ? kLeft + kChart : x_of(task.end_us), y, kTaskRow - 1, end);
    tick(task.known_us, y - 0.5, kTaskRow);
    sink_("</g>\n");
  }

  void host_row(const std::string& name, const Tids& tids, double y) {
    const auto range = [&](auto field) {
      const auto [least, most] = std::minmax_element(tids.begin(), tids.end(), [&](Tid a, Tid b) {
        return roll_.tasks[a].*field < roll_.tasks[b].*field;
      });
      return std::pair(roll_.tasks[*least].*field, roll_.tasks[*most].*field);
    };
    const auto start = range(&Task::start_us), known = range(&Task::known_us), end = range(&Task::end_us);
    std::map<Outcome, std::size_t> outcomes;
    for (const Tid tid : tids) ++outcomes[outcome(tid)];
    std::string how;
    for (const auto& [one, count] : outcomes)
      how += (how.empty() ? "" : ", ") + std::to_string(count) + " " + look(one).text;
    sink_("<g><title>" +
          xml(name + ": " + std::to_string(tids.size()) + " tasks; started " + at(start.first) + " to " +
              at(start.second) + ", registered " + at(known.first) + " to " + at(known.second) + ", ended " +
              at(end.first) + " to " + at(end.second) + ": " + how) +
          "</title>\n");
    line(kLeft, x_of(start.first), y + 5);
    bar(x_of(start.first), end.second == 0 ? kLeft + kChart : x_of(end.second), y + 1, kHostRow - 4,
        outcomes.rbegin()->first);
    tick(known.first, y, kHostRow - 2);
    tick(known.second, y, kHostRow - 2);
    sink_("</g>\n");
  }

  const Roll& roll_;
  const std::string& command_;
  const TextSink& sink_;
  std::int64_t begin_us_;
  double span_ = 1;  // seconds
  std::vector<std::uint32_t> ids_;
  std::vector<Tid> killed_;
  bool by_task_ = true;
  std::vector<Tids> hosts_;
};

}  // namespace

void launch_plot(const Roll& roll, const std::string& command, std::int64_t end_us, const TextSink& sink) {
  Plot(roll, command, end_us, sink).draw();
}

}  // namespace rollcall::pam
