# What the Book of mbatchd costs: the life of an array element, a submission, rare requests. As a test only that it runs.
add_executable(bench_book book.cpp)
target_link_libraries(bench_book PRIVATE mbatchd_res_words)
set_target_properties(bench_book PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
add_test(NAME bench_book_runs COMMAND bench_book 1000)
set_tests_properties(bench_book_runs PROPERTIES LABELS unit TIMEOUT 60)
