# What comes from outside. Every library is found here and nowhere else.
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)         # Asio, System (headers only)
find_package(Protobuf REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium)
find_package(nlohmann_json REQUIRED)
find_path(MUNGE_INCLUDE_DIR munge.h REQUIRED) # its library is loaded at run time
find_library(SODIUM_ARCHIVE libsodium.a REQUIRED)
find_library(PROTOBUF_LITE_ARCHIVE libprotobuf-lite.a REQUIRED)
if(ROLLCALL_TESTS)
  find_package(GTest REQUIRED)
  find_library(RAPIDCHECK_LIBRARY rapidcheck)
endif()
