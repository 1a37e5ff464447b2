# The installed tree, laid out as LSF's own: bin, etc (LSF_SERVERDIR), lib, conf (LSF_ENVDIR), misc, share/man.
# Everything finds its neighbours by its own path, so any prefix will do. A conf/lsf.conf that is there is kept.
set(wrappers_dir ${CMAKE_SOURCE_DIR}/wrappers)
file(GLOB wrappers CONFIGURE_DEPENDS ${wrappers_dir}/*_wrapper ${wrappers_dir}/mpirun.lsf)
file(GLOB esubs CONFIGURE_DEPENDS ${wrappers_dir}/esub.*)
file(GLOB shell_libraries CONFIGURE_DEPENDS ${wrappers_dir}/*.sh)

foreach(program pam TaskStarter)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION bin)
  endif()
endforeach()
install(PROGRAMS ${wrappers} DESTINATION bin)
install(FILES ${shell_libraries} DESTINATION bin) # read by the wrappers, never run
install(DIRECTORY DESTINATION etc)
install(PROGRAMS ${esubs} DESTINATION etc)
install(DIRECTORY DESTINATION lib)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs/samples/examples DESTINATION misc USE_SOURCE_PERMISSIONS)

install(CODE "set(samples \"${CMAKE_SOURCE_DIR}/docs/samples\")")
install(CODE [[
  set(ROLLCALL_TOP "${CMAKE_INSTALL_PREFIX}")
  set(conf "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/conf")
  configure_file("${samples}/lsf.conf.in" "${conf}/lsf.conf.sample" @ONLY)
  configure_file("${samples}/profile.lsf.in" "${conf}/profile.lsf" @ONLY)
  if(NOT EXISTS "${conf}/lsf.conf")
    configure_file("${samples}/lsf.conf.in" "${conf}/lsf.conf" @ONLY)
  endif()
]])

# The same two folders in the build: programs in bin, what a site keeps in LSF_SERVERDIR in etc.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/bin ${CMAKE_BINARY_DIR}/etc)
