// The frame of a starter, after its length:
//   ask     = place zero key, or kAskDirectory
//   zero    = a byte 0; key = 32 bytes
//   place   = address *("," address) ":" port
//   address = a host name, an IPv4 address, or an IPv6 address without [ ]; the port follows the last colon
#include "common/wire/relay.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace rollcall::wire {
namespace {

constexpr std::size_t kAskLengthBytes = 4;
constexpr std::size_t kMostPamAddresses = 16;

}  // namespace

std::optional<PamPlace> pam_place(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  const std::string_view digits = text.substr(colon + 1);
  PamPlace place;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), place.port);
  if (failure != std::errc{} || end != digits.data() + digits.size() || place.port == 0) return std::nullopt;
  for (std::string_view list = text.substr(0, colon); place.addresses.size() < kMostPamAddresses;) {
    const std::size_t comma = list.find(',');
    if (comma == 0 || list.empty()) return std::nullopt;
    place.addresses.emplace_back(list.substr(0, comma));
    if (comma == list.npos) return place;
    list.remove_prefix(comma + 1);
  }
  return std::nullopt;
}

// ---- starters

Relay::Effects Relay::said(StarterId id, std::string_view bytes) {
  Starter& starter = starters_[id];
  return starter.pam == 0 ? ask(id, starter, bytes) : pass_on(id, starter, bytes);
}

Relay::Effects Relay::ask(StarterId id, Starter& starter, std::string_view bytes) {
  starter.asked.append(bytes);
  if (starter.asked.size() < kAskLengthBytes) return {};
  std::size_t length = 0;
  for (std::size_t i = 0; i < kAskLengthBytes; ++i)
    length = length << 8 | static_cast<unsigned char>(starter.asked[i]);
  const bool asks_for_pam = length > kRelayKeyBytes && length <= kAskLimit;
  const bool good = asks_for_pam || length == kAskDirectory.size();
  if (good && starter.asked.size() < kAskLengthBytes + length) return {};
  const std::string asked = good ? starter.asked.substr(kAskLengthBytes, length) : "";
  if (asked == kAskDirectory && !directory_.empty()) {
    starters_.erase(id);
    std::string answer;
    append_frame(answer, directory_);
    return {relay::Give{id, std::move(answer)}, relay::LetGo{id}};
  }
  const std::size_t zero = asked.find('\0');
  std::optional<PamPlace> place;
  if (zero != asked.npos && asked.size() == zero + 1 + kRelayKeyBytes)
    place = pam_place(asked.substr(0, zero));
  if (!place) {
    starters_.erase(id);
    return {relay::LetGo{id}};
  }
  const std::string rest = starter.asked.substr(kAskLengthBytes + length);
  starter.asked = {};
  Effects effects;
  starter.pam = pam_of_ask(asked, *place, effects);
  Pam& pam = pams_.at(starter.pam);
  pam.up ? give(id, pam.instance, effects) : pam.waiting.push_back(id);
  if (!rest.empty())
    for (auto& effect : pass_on(id, starter, rest)) effects.push_back(std::move(effect));
  return effects;
}

PamId Relay::pam_of_ask(const std::string& asked, const PamPlace& place, Effects& effects) {
  for (const auto& [id, pam] : pams_)
    if (pam.asked == asked) return id;
  pams_[++last_pam_].asked = asked;
  effects.push_back(relay::Dial{last_pam_, place, asked.substr(asked.size() - kRelayKeyBytes)});
  return last_pam_;
}

Relay::Effects Relay::pass_on(StarterId id, Starter& starter, std::string_view bytes) {
  Pam& pam = pams_.at(starter.pam);
  const auto fed = starter.decoder.feed(
      bytes, [] { return kTaskMessageLimit; },
      [&](std::string_view message) -> Result<void> {
        if (starter.number == 0) {
          starter.number = ++pam.last;
          pam.tasks[starter.number] = id;
        }
        append_task_message(pam.out, starter.number, message);
        return {};
      });
  Effects effects;
  if (!fed) let_go(id, effects);
  return effects;
}

void Relay::give(StarterId id, std::string_view payload, Effects& effects) {
  relay::Give give{id, {}};
  append_frame(give.bytes, payload);
  const auto starter = starters_.find(id);
  starter->second.held += give.bytes.size();
  const bool reads = starter->second.held <= kMostForStarter;
  effects.push_back(std::move(give));
  if (!reads) let_go(id, effects);
}

void Relay::let_go(StarterId id, Effects& effects) {
  effects.push_back(relay::LetGo{id});
  left(id);
}

void Relay::took(StarterId id, std::size_t bytes) {
  const auto starter = starters_.find(id);
  if (starter != starters_.end()) starter->second.held -= std::min(bytes, starter->second.held);
}

void Relay::left(StarterId id) {
  const auto starter = starters_.find(id);
  if (starter == starters_.end()) return;
  if (const auto pam = pams_.find(starter->second.pam); pam != pams_.end()) {
    if (const TaskNumber number = starter->second.number; number != 0) {
      append_task_end(pam->second.out, number);
      pam->second.tasks.erase(number);
    }
    if (!pam->second.up) std::erase(pam->second.waiting, id);
  }
  starters_.erase(starter);
}

bool Relay::may_read(StarterId id) const {
  const auto starter = starters_.find(id);
  if (starter == starters_.end() || starter->second.pam == 0) return true;
  const Pam& pam = pams_.at(starter->second.pam);
  return pam.up && pam.out.size() < kMostForPam;
}

PamId Relay::pam_of(StarterId id) const {
  const auto starter = starters_.find(id);
  return starter == starters_.end() ? 0 : starter->second.pam;
}

// ---- pams

Relay::Effects Relay::reached(PamId id, std::string_view instance) {
  Effects effects;
  const auto pam = pams_.find(id);
  if (pam == pams_.end() || pam->second.up) return effects;
  pam->second.up = true;
  pam->second.instance = instance;
  for (const StarterId starter : std::exchange(pam->second.waiting, {})) give(starter, instance, effects);
  return effects;
}

Relay::Effects Relay::heard(PamId id, std::string_view payload) {
  const auto pam = pams_.find(id);
  Effects effects;
  if (pam == pams_.end() || !pam->second.up) return effects;
  while (!payload.empty()) {
    const auto item = take_item(payload);
    if (item) {
      take(pam->second, *item, effects);
      continue;
    }
    for (auto& effect : lost(id)) effects.push_back(std::move(effect));
    effects.push_back(relay::HangUp{id});
    return effects;
  }
  return effects;
}

void Relay::take(Pam& pam, const RelayItem& item, Effects& effects) {
  std::vector<StarterId> of;  // first: what is given may let one go
  for (auto task = pam.tasks.lower_bound(item.first); task != pam.tasks.end() && task->first <= item.last;
       ++task)
    of.push_back(task->second);
  for (const StarterId starter : of) {
    if (item.kind != RelayItem::Kind::end) {
      give(starter, item.message, effects);
      continue;
    }
    effects.push_back(relay::LetGo{starter});
    pam.tasks.erase(item.first);
    starters_.erase(starter);
  }
}

Relay::Effects Relay::lost(PamId id) {
  Effects effects;
  const auto pam = pams_.find(id);
  if (pam == pams_.end()) return effects;
  for (auto starter = starters_.begin(); starter != starters_.end();) {
    if (starter->second.pam != id) {
      ++starter;
      continue;
    }
    effects.push_back(relay::LetGo{starter->first});
    starter = starters_.erase(starter);
  }
  pams_.erase(pam);
  return effects;
}

bool Relay::has_output(PamId id) const {
  const auto pam = pams_.find(id);
  return pam != pams_.end() && pam->second.up && !pam->second.out.empty();
}

std::string Relay::output(PamId id, std::size_t most) {
  return has_output(id) ? take_items(pams_.at(id).out, most) : std::string();
}

}  // namespace rollcall::wire
