#include "sched/policy/answers/host_filter.hpp"

#include <cmath>

#include "common/resreq/resreq.hpp"

namespace rollcall::sched::answers {
namespace {

// A host as a select expression sees it.
class SeenHost final : public resreq::HostView {
 public:
  explicit SeenHost(const cycle::HostValues& values) : values_(values) {}
  double number(ResourceId id) const override {
    return id < values_.numbers.size() ? values_.numbers[id] : NAN;
  }
  std::string_view word(ResourceId id) const override {
    return id < values_.words.size() ? std::string_view(values_.words[id]) : std::string_view();
  }
  bool has(ResourceId id) const override { return id < values_.has.size() && values_.has[id]; }

 private:
  const cycle::HostValues& values_;
};

}  // namespace

HostFilter::HostFilter(const AnswerView& view, const std::string& text) : view_(view) {
  if (text.empty()) return;
  const auto parsed = resreq::parse(text);
  resreq::BindContext context;
  context.indices = &view.snapshot.rules().indices();
  bound_ = parsed.error ? resreq::BindResult{{}, parsed.error} : resreq::bind(parsed.value.select, context);
}

std::optional<wire::BatchReply> HostFilter::refused() const {
  if (!bound_.error) return std::nullopt;
  auto reply = refused_answer(wire::BatchReply::Refusal::BAD_RESREQ, bound_.error->text);
  reply.mutable_refusal()->set_offset(static_cast<std::uint32_t>(bound_.error->offset));
  return reply;
}

bool HostFilter::fits(HostNumber host) const {
  return !bound_.select || bound_.select->matches(SeenHost(view_.snapshot.values(host)));
}

}  // namespace rollcall::sched::answers
