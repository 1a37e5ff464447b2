#include "sched/commands/job_printers.hpp"

#include <algorithm>
#include <utility>

#include "sched/policy/show/show_gpus.hpp"
#include "sched/policy/show/show_job_long.hpp"
#include "sched/policy/show/show_reason_totals.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched {
namespace {

class Rows final : public JobPrinter {
 public:
  Rows(RowsForm form, show::ShowTime time) : form_(std::move(form)), time_(std::move(time)) {}
  std::string header() override {
    if (!form_.header) return "";
    return more(show::jobs_header(form_.form), form_.more ? form_.more->header() : "");
  }
  std::string job(const show::JobView& job, const wire::Submission& asked) override {
    std::string text = show::job_row(job, asked, form_.form, time_);
    if (form_.more) text = more(std::move(text), form_.more->line(job, asked, time_));
    return form_.reasons ? text + show::reason_lines(job, *form_.reasons) : text;
  }

 private:
  std::string more(std::string row, std::string cell) const {
    if (!form_.more) return row;
    cell.pop_back();  // its newline
    return show::with_cell(std::move(row), cell);
  }

  RowsForm form_;
  show::ShowTime time_;
};

class Blocks final : public JobPrinter {
 public:
  Blocks(BlocksForm form, show::ShowTime time) : form_(form), time_(std::move(time)) {}
  std::string job(const show::JobView& job, const wire::Submission& asked) override {
    std::string text = show::job_block(job, asked, form_.wrapping, form_.reasons, time_);
    if (form_.gpus) text += show::gpu_blocks(job, asked, form_.wrapping);
    return std::exchange(first_, false) ? text : std::string(78, '-') + "\n" + text;
  }

 private:
  BlocksForm form_;
  show::ShowTime time_;
  bool first_ = true;
};

class Fields final : public JobPrinter {
 public:
  Fields(show::JobFields fields, bool header, show::ShowTime time)
      : fields_(std::move(fields)), header_(header), time_(std::move(time)) {}
  std::string header() override { return header_ ? fields_.header() : ""; }
  std::string job(const show::JobView& job, const wire::Submission& asked) override {
    return fields_.line(job, asked, time_);
  }

 private:
  show::JobFields fields_;
  bool header_;
  show::ShowTime time_;
};

class Json final : public JobPrinter {
 public:
  Json(show::JobFields fields, show::ShowTime time) : fields_(std::move(fields)), time_(std::move(time)) {}
  std::string job(const show::JobView& job, const wire::Submission& asked) override {
    records_.push_back(fields_.json(job, asked, time_));
    return "";
  }
  std::vector<std::string> unknown(const std::vector<std::string>& ids) override {
    for (const auto& id : ids)
      records_.push_back(show::json_record({{"JOBID", id}, {"ERROR", "Job <" + id + "> is not found"}}));
    return {};
  }
  std::string end() override { return show::json_document("bjobs", "JOBS", records_); }
  bool even_if_none() const override { return true; }

 private:
  show::JobFields fields_;
  show::ShowTime time_;
  std::vector<std::string> records_;
};

class SlotSums final : public JobPrinter {
 public:
  std::string job(const show::JobView& job, const wire::Submission& asked) override {
    std::uint32_t slots = 0;
    for (const auto& host : job.record().hosts()) slots += host.slots();
    const std::uint32_t wanted = std::max(1U, asked.min_slots());
    totals_.add(job.record().status(), pending(job.record().status()) ? wanted : slots);
    return "";
  }
  void add(const wire::BatchReply::SlotSums& sums) override {
    for (const auto& [status, slots] : sums.slots()) totals_.add(static_cast<wire::JobStatus>(status), slots);
    totals_.add_forwarded(sums.forwarded());
  }
  std::string end() override { return totals_.table(); }
  bool even_if_none() const override { return true; }

 private:
  show::SlotTotals totals_;
};

class Reasons final : public JobPrinter {
 public:
  Reasons(std::string cluster, show::ShowTime time) : cluster_(std::move(cluster)), time_(std::move(time)) {}
  std::string job(const show::JobView& job, const wire::Submission&) override { return totals_.add(job), ""; }
  std::string end() override { return totals_.table(cluster_, time_); }

 private:
  std::string cluster_;
  show::ShowTime time_;
  show::ReasonTotals totals_;
};

class Texts final : public JobPrinter {
 public:
  explicit Texts(JobText text) : text_(text) {}
  std::string job(const show::JobView& job, const wire::Submission& asked) override {
    if (++jobs_ == 1) {
      only_ = text_of(job, asked);
      title_ = title(job);
      return "";
    }
    const std::string first = jobs_ == 2 ? title_ + std::exchange(only_, "") : "";
    return first + title(job) + text_of(job, asked);
  }
  std::string end() override { return std::exchange(only_, ""); }

 private:
  static std::string title(const show::JobView& job) {
    return std::string(78, '-') + "\nJob <" + sched::text(key_of(job.record().key())) + ">:\n";
  }
  std::string text_of(const show::JobView& job, const wire::Submission& asked) const {
    std::string text;
    if (text_ == JobText::environment)
      for (const auto& word : job.environment()) text += word + "\n";
    else
      text = job.script().empty() ? asked.command() : job.script();
    if (!text.empty() && text.back() != '\n') text += '\n';
    return text;
  }

  JobText text_;
  std::size_t jobs_ = 0;
  std::string only_, title_;
};

}  // namespace

void JobPrinter::add(const wire::BatchReply::SlotSums&) {}

std::vector<std::string> JobPrinter::unknown(const std::vector<std::string>& ids) {
  std::vector<std::string> lines;
  for (const auto& id : ids) lines.push_back("Job <" + id + "> is not found");
  return lines;
}

std::unique_ptr<JobPrinter> rows_printer(RowsForm form, show::ShowTime time) {
  return std::make_unique<Rows>(std::move(form), std::move(time));
}
std::unique_ptr<JobPrinter> blocks_printer(BlocksForm form, show::ShowTime time) {
  return std::make_unique<Blocks>(form, std::move(time));
}
std::unique_ptr<JobPrinter> fields_printer(show::JobFields fields, bool header, show::ShowTime time) {
  return std::make_unique<Fields>(std::move(fields), header, std::move(time));
}
std::unique_ptr<JobPrinter> json_printer(show::JobFields fields, show::ShowTime time) {
  return std::make_unique<Json>(std::move(fields), std::move(time));
}
std::unique_ptr<JobPrinter> slots_printer() { return std::make_unique<SlotSums>(); }
std::unique_ptr<JobPrinter> reasons_printer(std::string cluster, show::ShowTime time) {
  return std::make_unique<Reasons>(std::move(cluster), std::move(time));
}
std::unique_ptr<JobPrinter> texts_printer(JobText text) { return std::make_unique<Texts>(text); }

}  // namespace rollcall::sched
