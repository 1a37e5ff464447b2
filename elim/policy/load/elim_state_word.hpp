// elim_state_word: the word for an elim's state (ElimState of common/wire/load.proto), in JSON and metrics alike. A function.
#pragma once

namespace rollcall::load {

// "unknown": a number of a newer LIM.
inline const char* elim_state_word(int state) {
  static constexpr const char* kWords[] = {"running", "waiting", "given up", "aborted"};
  return state >= 0 && state < 4 ? kWords[state] : "unknown";
}

}  // namespace rollcall::load
