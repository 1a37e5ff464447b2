#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/base/host_list.hpp"
#include "common/resreq/evaluate.hpp"

namespace rollcall::resreq {

BindOrderResult bind_order(const std::vector<OrderKey>& keys, const IndexTable& indices) {
  BindOrderResult result;
  const auto given = keys.empty() ? parse("order[" + std::string(kDefaultOrder) + "]").value.order : keys;
  for (const OrderKey& key : given) {
    const auto id = indices.find(key.name);
    if (!id || indices.at(*id).type != ResourceType::numeric) {
      const char* const expected =
          id ? ", expected a numeric resource" : ", expected a resource of this cluster";
      result.error = ParseError{"found " + printable(key.name) + expected, key.place.offset};
      return result;
    }
    const auto same = [&](const BoundOrder::Key& known) { return known.id == *id; };
    // A repeated resource cannot change the order.
    if (std::any_of(result.order.keys.begin(), result.order.keys.end(), same)) continue;
    const bool shrinks = indices.at(*id).order == ResourceOrder::decreasing;
    result.order.keys.push_back({*id, shrinks != key.reversed});
  }
  return result;
}

std::vector<std::size_t> sorted(const std::vector<const HostView*>& hosts, const BoundOrder& order) {
  const std::size_t width = order.keys.size();
  // Each host is asked once for each key. A descending key sorts by the negated value; unknown values are last in both.
  std::vector<double> values;
  values.reserve(hosts.size() * width);
  for (const HostView* host : hosts)
    for (const auto& key : order.keys) {
      const double value = host->number(key.id);
      values.push_back(std::isnan(value) ? HUGE_VAL : key.descending ? -value : value);
    }
  std::vector<std::size_t> places(hosts.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    const double* const first = values.data() + a * width;
    const double* const second = values.data() + b * width;
    return std::lexicographical_compare(first, first + width, second, second + width);
  });
  return places;
}

}  // namespace rollcall::resreq
