// show_information: the output of busers, bparams, bmgroup, bugroup, bapp and blimits. Pure. Columns of "IBM Spectrum LSF 10.1".
#pragma once

#include <string>

#include "sched/policy/show/show_queues.hpp"

namespace rollcall::sched::show {

enum class UserForm { narrow, wide };  // busers, -w: with MPEND PJOBS MPJOBS
std::string users_table(const wire::BatchReply::Users& users, UserForm form = UserForm::narrow);
Result<std::string> users_fields(const wire::BatchReply::Users& users, const std::string& format,
                                 FieldForm form);
inline constexpr const char* kDefaultUserFields = "user jl/p max njobs pend run ssusp ususp rsv";

// bclusters: the queues that send jobs to other clusters and receive them, and leases. `counters`: -l, with what those clusters told,
// and all that is known of a lease.
std::string clusters_table(const wire::BatchReply::ClusterRows& clusters, bool counters);
// counters: with what the other clusters told of their queues.
std::string clusters_json(const wire::BatchReply::ClusterRows& clusters, bool counters);
// bclusters -app
std::string cluster_applications_table(const wire::BatchReply::ClusterRows& clusters);
std::string cluster_applications_json(const wire::BatchReply::ClusterRows& clusters);

enum class ParameterForm { shortly, explained, all };  // bparams, -l, -a
std::string parameters_text(const wire::BatchReply::Parameters& parameters, ParameterForm form);
std::string parameters_json(const wire::BatchReply::Parameters& parameters);  // those that have a value

// GROUP_NAME and the members; `of_users`: bugroup.
std::string groups_table(const wire::BatchReply::Groups& groups, bool of_users);
// -l: a block for each: members, administrators, shares.
std::string groups_long(const wire::BatchReply::Groups& groups, bool of_users);

std::string applications_table(const wire::BatchReply::Applications& applications);
std::string applications_long(const wire::BatchReply::Applications& applications);
// A record for each profile; with `parameters` also its description and its lines of lsb.applications.
std::string applications_json(const wire::BatchReply::Applications& applications, bool parameters);

// What is taken of each limit; with `configured` (blimits -c) what is allowed.
std::string limits_table(const wire::BatchReply::LimitRows& rows, bool configured);
std::string limits_json(const wire::BatchReply::LimitRows& rows);  // every record with every column

}  // namespace rollcall::sched::show
