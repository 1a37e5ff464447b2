// The parts of the stepper of job_life.hpp, for its own files alone (job_life*.cpp): what several of its rows do.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "res/policy/job_life.hpp"

namespace rollcall::res::life {

using How = wire::FromRes::JobOver;
using Order = wire::ToRes::SignalJob;
using Effects = std::vector<Effect>;

bool alive(const JobLife& life);       // the job or its tasks run
bool before_job(const JobLife& life);  // nothing of the job has run yet

// Kills everything; `outcome` and `phase` say what follows.
void clear(JobLife& life, Effects& out);
// The same of what runs after a job: how that ended was told before.
void kill_post_exec(JobLife& life, Effects& out);
void not_started(JobLife& life, How::How how, int status, std::string why, Effects& out);

// ---- job_life_signals.cpp
void take_step(JobLife& life, TimePoint now, Effects& out);
// A harder one replaces a softer one that is under way; the first reason stays.
void escalate(JobLife& life, std::vector<Escalation::Step> steps, int reason, TimePoint now, Effects& out);
std::vector<Escalation::Step> softly(Duration interval);
void ordered(JobLife& life, const Order& order, TimePoint now, Effects& out);
void started_stopped(JobLife& life, TimePoint now, Effects& out);
// Of a job that is stopped: whether it is.
void look_again(JobLife& life, TimePoint now, Effects& out);
void stop_again(JobLife& life, TimePoint now, Effects& out);

// ---- job_life_limits.cpp
void check_usage(JobLife& life, const event::Sampled& used, TimePoint now, Effects& out);
void check_time(JobLife& life, TimePoint now, Effects& out);
void end_of_time(JobLife& life, int reason, TimePoint now, Effects& out);

}  // namespace rollcall::res::life
