# Words of the b* commands' lines that mean jobs and times.
rollcall_library(sched_ask SOURCES ask_words.cpp LINK rollcall_base rollcall_wire)
