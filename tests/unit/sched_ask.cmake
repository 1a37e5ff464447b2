# Ids and times on the b* commands' lines.
rollcall_test(ask_words_test LABEL unit SOURCES ask_words_test.cpp LINK sched_ask)
