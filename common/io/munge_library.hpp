// munge_library: the functions of libmunge that we call. All of them are there, or none.
//
// Most programs load the library when they first need it, so they run without it (munge_library.cpp); a static program links it
// (static_munge_library.cpp; cmake/QuickStart.cmake).
#pragma once

#include <munge.h>

#include <string>

namespace rollcall::io {

struct MungeLibrary {
  decltype(&::munge_encode) encode = nullptr;
  decltype(&::munge_decode) decode = nullptr;
  decltype(&::munge_ctx_create) create = nullptr;
  decltype(&::munge_ctx_destroy) destroy = nullptr;
  decltype(&::munge_ctx_set) set = nullptr;
  decltype(&::munge_ctx_strerror) error_text = nullptr;
  std::string why;  // why it could not be loaded; empty: it was
};

// Never unloaded: a thread that waits for munged may use it after main() has ended.
const MungeLibrary& munge_library();

}  // namespace rollcall::io
