# What a machine is made of, by hwloc.
pkg_check_modules(HWLOC REQUIRED hwloc)
rollcall_library(rollcall_topology SOURCES topology.cpp LINK rollcall_base ${HWLOC_LINK_LIBRARIES})
target_include_directories(rollcall_topology SYSTEM PRIVATE ${HWLOC_INCLUDE_DIRS})
