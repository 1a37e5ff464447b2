// The frame of a starter, after its length:
//   place   = address *("," address) ":" port
//   address = a host name, an IPv4 address, or an IPv6 address without [ ]; the port follows the last colon
#include "common/wire/relay.hpp"

#include <charconv>

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
  if (starter.pam == 0) return ask(id, starter, bytes);
  pams_.at(starter.pam).channels.send(starter.channel, bytes);
  return {};
}

// Bytes after the frame already belong to the conversation with pam.
Relay::Effects Relay::ask(StarterId id, Starter& starter, std::string_view bytes) {
  starter.asked.append(bytes);
  if (starter.asked.size() < kAskLengthBytes) return {};
  std::size_t length = 0;
  for (std::size_t i = 0; i < kAskLengthBytes; ++i)
    length = length << 8 | static_cast<unsigned char>(starter.asked[i]);
  const bool good = length >= 1 && length <= kAskLimit;
  if (good && starter.asked.size() < kAskLengthBytes + length) return {};
  const std::string place = good ? starter.asked.substr(kAskLengthBytes, length) : "";
  if (!pam_place(place)) {
    starters_.erase(id);
    return {relay::LetGo{id}};
  }
  Effects effects;
  starter.pam = pam_at(place, effects);
  Pam& pam = pams_.at(starter.pam);
  starter.channel = pam.channels.open();
  pam.starters[starter.channel] = id;
  pam.channels.send(starter.channel, std::string_view(starter.asked).substr(kAskLengthBytes + length));
  starter.asked = {};
  return effects;
}

PamId Relay::pam_at(const std::string& place, Effects& effects) {
  for (const auto& [id, pam] : pams_)
    if (pam.place == place) return id;
  pams_[++last_pam_].place = place;
  effects.push_back(relay::Dial{last_pam_, *pam_place(place)});
  return last_pam_;
}

void Relay::took(StarterId id, std::size_t bytes) {
  const auto starter = starters_.find(id);
  if (starter != starters_.end() && starter->second.pam != 0)
    pams_.at(starter->second.pam).channels.passed_on(starter->second.channel, bytes);
}

void Relay::left(StarterId id) {
  const auto starter = starters_.find(id);
  if (starter == starters_.end()) return;
  if (starter->second.pam != 0) {
    Pam& pam = pams_.at(starter->second.pam);
    pam.channels.close(starter->second.channel);
    pam.starters.erase(starter->second.channel);
  }
  starters_.erase(starter);
}

bool Relay::may_read(StarterId id) const {
  const auto starter = starters_.find(id);
  if (starter == starters_.end() || starter->second.pam == 0) return true;
  return pams_.at(starter->second.pam).channels.has_room(starter->second.channel);
}

PamId Relay::pam_of(StarterId id) const {
  const auto starter = starters_.find(id);
  return starter == starters_.end() ? 0 : starter->second.pam;
}

// ---- pams

Relay::Effects Relay::reached(PamId id) {
  if (const auto pam = pams_.find(id); pam != pams_.end()) pam->second.up = true;
  return {};
}

Relay::Effects Relay::heard(PamId id, std::string_view bytes) {
  const auto pam = pams_.find(id);
  if (pam == pams_.end()) return {};
  std::vector<Channels::Event> events;
  const auto fed = pam->second.channels.feed(bytes, events);
  Effects effects;
  for (const auto& event : events) take(pam->second, event, effects);
  if (fed) return effects;
  for (const auto& effect : lost(id)) effects.push_back(effect);
  effects.push_back(relay::HangUp{id});
  return effects;
}

void Relay::take(Pam& pam, const Channels::Event& event, Effects& effects) {
  if (const auto* arrived = std::get_if<Channels::Arrived>(&event)) {
    const auto starter = pam.starters.find(arrived->channel);
    if (starter != pam.starters.end()) effects.push_back(relay::Give{starter->second, arrived->bytes});
  } else if (const auto* ended = std::get_if<Channels::Ended>(&event)) {
    const auto starter = pam.starters.find(ended->channel);
    if (starter == pam.starters.end()) return;
    effects.push_back(relay::LetGo{starter->second});
    starters_.erase(starter->second);
    pam.starters.erase(starter);
  }
}

Relay::Effects Relay::lost(PamId id) {
  const auto pam = pams_.find(id);
  if (pam == pams_.end()) return {};
  Effects effects;
  for (const auto& [channel, starter] : pam->second.starters) {
    effects.push_back(relay::LetGo{starter});
    starters_.erase(starter);
  }
  pams_.erase(pam);
  return effects;
}

bool Relay::has_output(PamId id) const {
  const auto pam = pams_.find(id);
  return pam != pams_.end() && pam->second.up && pam->second.channels.has_output();
}

// A channel that was closed with words in it is there until they have left.
bool Relay::all_left(PamId id) const {
  const auto pam = pams_.find(id);
  return pam == pams_.end() || (!pam->second.channels.has_output() &&
                                pam->second.channels.open_channels() == pam->second.starters.size());
}

std::string Relay::output(PamId id, std::size_t most) {
  const auto pam = pams_.find(id);
  return pam == pams_.end() || !pam->second.up ? std::string() : pam->second.channels.output(most);
}

}  // namespace rollcall::wire
