# The installed tree, laid out as LSF's own: bin, etc (LSF_SERVERDIR), lib, conf (LSF_ENVDIR), misc, share/man.
# Everything finds its neighbours by its own path, so any prefix will do. A conf/lsf.conf that is there is kept.
# Each room installs its own programs; here are the folders and what belongs to no room.
install(DIRECTORY DESTINATION etc)
install(DIRECTORY DESTINATION lib)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs/samples/examples DESTINATION misc USE_SOURCE_PERMISSIONS)

install(CODE "set(samples \"${CMAKE_SOURCE_DIR}/docs/samples\")")
install(CODE [[
  set(ROLLCALL_TOP "${CMAKE_INSTALL_PREFIX}")
  set(conf "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/conf")
  configure_file("${samples}/lsf.conf.in" "${conf}/lsf.conf.sample" @ONLY)
  configure_file("${samples}/profile.lsf.in" "${conf}/profile.lsf" @ONLY)
  configure_file("${samples}/cshrc.lsf.in" "${conf}/cshrc.lsf" @ONLY)
  if(NOT EXISTS "${conf}/lsf.conf")
    configure_file("${samples}/lsf.conf.in" "${conf}/lsf.conf" @ONLY)
  endif()
  foreach(set one-host several-hosts)
    file(COPY "${samples}/templates/${set}" DESTINATION "${conf}/templates" PATTERN "*.in" EXCLUDE)
    configure_file("${samples}/templates/${set}/lsf.conf.in" "${conf}/templates/${set}/lsf.conf" @ONLY)
  endforeach()
  file(COPY "${samples}/templates/README.md" DESTINATION "${conf}/templates")
]])

# The same two folders in the build: programs in bin, what a site keeps in LSF_SERVERDIR in etc.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/bin ${CMAKE_BINARY_DIR}/etc)
