// The word for what an elim does (ElimState of common/wire/load.proto), in JSON and metrics alike. A function.
#pragma once

namespace rollcall::load {

// "unknown": a number that only a newer LIM has a word for.
inline const char* elim_state_word(int state) {
  static constexpr const char* kWords[] = {"running", "waiting", "given up", "aborted"};
  return state >= 0 && state < 4 ? kWords[state] : "unknown";
}

}  // namespace rollcall::load
