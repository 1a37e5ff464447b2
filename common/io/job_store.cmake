# mbatchd's store: SOCI over SQLite. Of Debian's SOCI only these two archives are linked.
rollcall_library(rollcall_job_store SOURCES job_store.cpp job_store_files.cpp job_store_forget.cpp job_store_migration.cpp stored_events.cpp
  LINK rollcall_wire ${SOCI_SQLITE3_ARCHIVE} ${SOCI_CORE_ARCHIVE} ${SQLITE3_LIBRARY} ${CMAKE_DL_LIBS})
target_include_directories(rollcall_job_store SYSTEM PRIVATE ${SOCI_INCLUDE_DIR})
