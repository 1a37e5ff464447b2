# Starts, stops and looks at the daemons of a host; a program of its own, since it must work where no LIM runs.
add_executable(lsf_daemons lsf_daemons.cpp cluster_setup.cpp start_checks.cpp daemon_place.cpp daemon_probe.cpp daemon_process.cpp daemon_start.cpp daemon_work.cpp)
target_compile_definitions(lsf_daemons PRIVATE ROLLCALL_VERSION="${PROJECT_VERSION}")
target_link_libraries(lsf_daemons PRIVATE
  daemons_policy rollcall_config rollcall_conf rollcall_cluster_channel rollcall_process rollcall_root_trust)
install(TARGETS lsf_daemons DESTINATION bin)

# The units name their files by the prefix, so they are written when that is known. What only newer releases of systemd know is
# left out on a host that has an older one, which would warn of it at each start.
set(ROLLCALL_SYSTEMD_VERSION "" CACHE STRING "systemd of the hosts that the units are for; empty: that of the installing host")
install(CODE "set(units \"${CMAKE_SOURCE_DIR}/docs/samples/systemd\")\nset(version \"${ROLLCALL_SYSTEMD_VERSION}\")")
install(CODE [[
  set(ROLLCALL_TOP "${CMAKE_INSTALL_PREFIX}")
  if("${version}" STREQUAL "")
    execute_process(COMMAND systemctl --version OUTPUT_VARIABLE said ERROR_QUIET RESULT_VARIABLE ended)
    string(REGEX MATCH "^systemd ([0-9]+)" said "${said}")
    set(version "${CMAKE_MATCH_1}")
  endif()
  if("${version}" MATCHES "^[0-9]+$" AND version GREATER_EQUAL 254)
    set(ROLLCALL_DELEGATE_SUBGROUP "DelegateSubgroup=res")
  else()
    set(ROLLCALL_DELEGATE_SUBGROUP "#DelegateSubgroup=res")
  endif()
  foreach(unit lim res mbatchd)
    configure_file("${units}/${unit}.service.in" "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/systemd/system/${unit}.service"
      @ONLY)
  endforeach()
]])
