rollcall_test(command_words_test LABEL unit SOURCES command_words_test.cpp LINK rollcall_base)
