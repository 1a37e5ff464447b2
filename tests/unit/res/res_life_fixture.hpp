// The life of a job on its host, an event after the other: for the tests of res/policy/job_life.hpp.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "res/policy/job_life.hpp"

namespace rollcall::res {

class JobLifeTest : public testing::Test {
 protected:
  using How = wire::FromRes::JobOver;
  using Order = wire::ToRes::SignalJob;

  // The effects, as text.
  std::vector<std::string> happens(const Event& event, Duration later = Duration(0)) {
    now_ = now_ + later;
    std::vector<std::string> texts;
    for (const auto& effect : step(life_, event, now_)) {
      texts.push_back(text(effect));
      if (const auto* over = std::get_if<effect::TellOver>(&effect)) over_ = *over;
    }
    return texts;
  }

  JobLife life_;
  TimePoint now_{std::chrono::seconds(1000)};
  effect::TellOver over_;  // the last one
};

}  // namespace rollcall::res
