# What an expert can review of the scheduler: clusters as texts, and what it does with them.
set(here ${CMAKE_CURRENT_LIST_DIR})
add_test(NAME golden_schedule COMMAND ${here}/schedule/run.sh ${CMAKE_BINARY_DIR}/bin/bsched-query ${here}/schedule)
set_tests_properties(golden_schedule PROPERTIES LABELS golden TIMEOUT 60)
