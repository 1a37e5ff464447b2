rollcall_test(resreq_test LABEL unit
  SOURCES resreq_parse_test.cpp resreq_select_test.cpp resreq_errors_test.cpp resreq_merge_test.cpp resreq_evaluate_test.cpp
          resreq_order_test.cpp resreq_explain_test.cpp
  LINK rollcall_resreq)
rollcall_property_test(resreq_property_test LABEL unit SOURCES resreq_property_test.cpp LINK rollcall_resreq)
