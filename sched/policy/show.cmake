# Jobs that run longer, shorter or idler than their queue expects.
rollcall_library(sched_exceptions SOURCES job_exceptions.cpp LINK rollcall_conf rollcall_base rollcall_wire)
# What the b* commands print.
rollcall_library(sched_show
  SOURCES show_text.cpp show_jobs.cpp show_job_long.cpp show_job_fields.cpp job_field_table.cpp show_queues.cpp show_batch_hosts.cpp show_history.cpp show_accounts.cpp show_information.cpp
    job_picks.cpp show_host_groups.cpp show_reason_totals.cpp show_gpus.cpp
  LINK sched_without_effect sched_exceptions sched_book rollcall_resreq rollcall_base rollcall_wire)
