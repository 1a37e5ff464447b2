# What a LIM says to clients and to whoever scrapes its metrics.
rollcall_test(metrics_text_test LABEL unit SOURCES metrics_text_test.cpp LINK lim_answers)
rollcall_test(answers_test LABEL unit SOURCES answers_test.cpp LINK lim_answers)
