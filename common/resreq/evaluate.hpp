// Whether a host fits a select expression, and how hosts are ordered: a requirement bound to a cluster's resources.
//
// Pure and fast: 10,000 hosts in a few milliseconds. Names are looked up once (bind), not for each host. The host is seen
// through HostView, so that LIM, lsload and the scheduler can each lay out their own tables.
//
// What is not known: a comparison with an unknown value is false, whichever it is (!= too), and so is an unknown value
// that is asked for alone. "!" turns what is below it round: !(mem > 500) holds where mem is unknown, so ask
// defined(mem) as well. A division by zero is unknown.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/host_facts.hpp"
#include "common/base/index_table.hpp"
#include "common/resreq/resreq.hpp"

namespace rollcall::resreq {

// One host as an expression sees it. Numbers that are not known are NaN, strings "". Run queues are effective lengths in
// select and normalised ones in order (the caller says which it hands out); ut is a fraction; memory is in MB.
class HostView {
 public:
  virtual ~HostView() = default;
  virtual double number(ResourceId id) const = 0;  // numeric resources, static and dynamic
  virtual std::string_view word(
      ResourceId id) const = 0;               // string resources: type, model, status, hname, the site's
  virtual bool has(ResourceId id) const = 0;  // Booleans; and defined(): the host has a value for it
};

struct BindContext {
  const IndexTable* indices = nullptr;  // needed while binding only
  std::string local_type,
      local_model;  // of the host that asks: what type==local means; "": not known, fits no host
  bool default_type_local = false;  // lsplace, bsub: see with_default_type
  // The official name of a host as written after hname== (conf::HostNames); none: as written. Asked while binding.
  std::function<std::optional<std::string>(std::string_view)> official_host;
};

// One part of a requirement: what stands between the outermost &&.
struct Part {
  std::string text;  // "mem > 500"
  bool holds = false;
  std::string gave;  // what the host has of what is asked: "380"; of several resources "mem 380, swp -"
};

class BoundSelect {
 public:
  bool matches(const HostView& host) const;
  // Of an expression that is a number, "mem + tmp": that number; NaN where it is not known.
  double number(const HostView& host) const;
  std::vector<Part> parts(const HostView& host) const;
  // One line for each part, without a newline after the last: "no   mem > 500: 380". "" where nothing is asked.
  std::string explain(const HostView& host) const;

 private:
  friend class Binder;
  struct Code;
  std::shared_ptr<const Code> code_;  // null: every host fits
};

struct BindResult {
  std::optional<BoundSelect> select;
  std::optional<ParseError> error;  // an unknown resource, a string compared with a number
};
// A null expression matches every host (but for the default type).
BindResult bind(const ExpressionPointer& select, const BindContext& context);

// What bsub, lsplace and lsrun add: "type == local"; where a model, a string or a Boolean is named "type == any"; nothing
// where the type is. As bjobs -l shows it ("Combined").
ExpressionPointer with_default_type(const ExpressionPointer& select, const IndexTable& indices);

// The order section bound to resources; of none given kDefaultOrder.
inline constexpr std::string_view kDefaultOrder = "r15s:pg";
struct BoundOrder {
  struct Key {
    ResourceId id = 0;
    bool descending = false;  // larger first
  };
  std::vector<Key> keys;
};
struct BindOrderResult {
  BoundOrder order;
  std::optional<ParseError> error;
};
BindOrderResult bind_order(const std::vector<OrderKey>& keys, const IndexTable& indices);

// The places of `hosts` in the order a user sees them: by key, the first key counts most, unknown values last, ties by
// the order given. Stable.
std::vector<std::size_t> sorted(const std::vector<const HostView*>& hosts, const BoundOrder& order);

// The first invalid name: rusage takes numeric resources (with `syntax.strict` only consumable ones), same takes static
// resources.
std::optional<ParseError> check_names(const ResReq& resreq, const IndexTable& indices, const Syntax& syntax);

}  // namespace rollcall::resreq
