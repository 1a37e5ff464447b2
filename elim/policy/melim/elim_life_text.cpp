// The one-line forms of events and effects.
#include "elim/policy/melim/elim_life.hpp"

namespace rollcall::melim {
namespace {

struct EventText {
  std::string operator()(const StringBegun&) const { return "StringBegun"; }
  std::string operator()(const StringRead&) const { return "StringRead"; }
  std::string operator()(const StringRefused&) const { return "StringRefused"; }
  std::string operator()(const Flooded&) const { return "Flooded"; }
  std::string operator()(const StartFailed& e) const { return "StartFailed " + e.why; }
  std::string operator()(const Ended& e) const { return "Ended " + e.status.text(); }
  std::string operator()(const Gone&) const { return "Gone"; }
  std::string operator()(const Ordered& e) const { return e.afresh ? "Ordered afresh" : "Ordered"; }
  std::string operator()(const FileChanged&) const { return "FileChanged"; }
  std::string operator()(const Retired&) const { return "Retired"; }
  std::string operator()(const TimePassed&) const { return "TimePassed"; }
};

struct EffectText {
  std::string operator()(const Start&) const { return "Start"; }
  std::string operator()(const End&) const { return "End"; }
  std::string operator()(const Say& e) const { return "Say " + e.text; }
  std::string operator()(const SayRest& e) const { return "SayRest " + e.text; }
};

}  // namespace

std::string text(const Event& event) { return std::visit(EventText{}, event); }
std::string text(const Effect& effect) { return std::visit(EffectText{}, effect); }

}  // namespace rollcall::melim
