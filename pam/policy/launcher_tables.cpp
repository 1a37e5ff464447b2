#include "pam/policy/launcher_options.hpp"

namespace rollcall::pam {

const LauncherTable kOpenMpi{"openmpi", Dashes::any, kOpenmpiOptions, {}};
const LauncherTable kOpenMpiOldScripts{"openmpi", Dashes::any, kOpenmpiOptions, kOldOptions};
const LauncherTable kHydra{"hydra", Dashes::any, kHydraOptions, {}};
const LauncherTable kHydraOldScripts{"hydra", Dashes::any, kHydraOptions, kOldOptions};
const LauncherTable kIntelMpi{"intelmpi", Dashes::any, kHydraOptions, kIntelmpiOptions};
const LauncherTable kSlurm{"slurm", Dashes::getopt, kSlurmOptions, {}};

}  // namespace rollcall::pam
