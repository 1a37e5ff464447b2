# mbatchd's store, with real files, a full disk and killed writers.
rollcall_test(job_store_test LABEL io SOURCES job_store_test.cpp job_store_payloads_test.cpp job_store_faults_test.cpp
  job_store_forget_test.cpp LINK rollcall_job_store TIMEOUT 120)
