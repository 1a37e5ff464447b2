# Starts, stops and looks at the daemons of a host; a program of its own, since it must work where no LIM runs.
add_executable(lsf_daemons lsf_daemons.cpp daemon_place.cpp daemon_probe.cpp daemon_process.cpp daemon_start.cpp)
target_compile_definitions(lsf_daemons PRIVATE ROLLCALL_VERSION="${PROJECT_VERSION}")
target_link_libraries(lsf_daemons PRIVATE
  daemons_policy rollcall_config rollcall_conf rollcall_cluster_channel rollcall_process)
install(TARGETS lsf_daemons DESTINATION bin)

# The unit names its files by the prefix, so it is written when that is known.
install(CODE "set(unit \"${CMAKE_SOURCE_DIR}/docs/samples/systemd/lim.service.in\")")
install(CODE [[
  set(ROLLCALL_TOP "${CMAKE_INSTALL_PREFIX}")
  configure_file("${unit}" "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/systemd/system/lim.service" @ONLY)
]])
