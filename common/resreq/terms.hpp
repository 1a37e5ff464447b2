// Terms: how many numbers and names a select expression has, which bounds its cost. Functions.
//
// A scheduling cycle compares each different expression of pending jobs with every host, and mbatchd keeps the program of each one:
// what a job may ask is bounded, so that the requirements of one user do not lengthen the cycles of all. What a load command asks
// is compared once and has no such bound. docs/decisions/0075.
#pragma once

#include <cstddef>

#include "common/resreq/resreq.hpp"

namespace rollcall::resreq {

// Of one job: a thousand hosts by name ("hname == h1 || hname == h2") are two thousand.
inline constexpr std::size_t kMostTermsOfJob = 2048;

// How many numbers, words, resources and defined() are in `select`; 0 for null.
std::size_t terms(const ExpressionPointer& select);

}  // namespace rollcall::resreq
