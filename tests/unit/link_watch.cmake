rollcall_test(link_watch_test LABEL unit SOURCES link_watch_test.cpp LINK rollcall_links)
