// HostModel: what a host's type and model are called, where lsf.cluster says "!". Functions.
//
//   type          the machine's name in capitals: X86_64, AARCH64, PPC64LE, ...
//   architecture  platform "_" speed "_" processor, in the form of lsf.shared's ARCHITECTURE:
//     platform    "x" and the processor's family on x86 (x6, x25); the type elsewhere
//     speed       bogomips, else MHz; whole
//     processor   the processor's name, letters and digits alone: IntelRXeonRGold6148CPU240GHz
//   model         the HostModel of lsf.shared whose ARCHITECTURE fits best; where none does, a short name made of the
//                 processor's: Intel_E5, Intel_Gold6148, AMD_EPYC7763, POWER9, ARM_Neoverse_N1
//
// An ARCHITECTURE entry fits where its platform is ours (or our type) and its processor, if it has one, is the beginning
// of ours, both without regard to case. Of those that fit one with the longer processor is better, then one with a speed,
// then one whose speed is nearer, then the earlier line.
// Rules: "Platform LSF Configuration Reference 7.3", lsf.shared, HostModel; how near a speed must be is not documented,
// so any is near enough where the processor's name fits, and a quarter more or less where there is no name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/conf/lsf_shared.hpp"
#include "elim/policy/load/proc_texts.hpp"

namespace rollcall::load {

std::string host_type(std::string_view machine);  // "x86_64" -> "X86_64"

std::string host_architecture(const CpuIdentity& cpu, std::string_view machine);

// "" where no line fits.
std::string matching_model(std::string_view architecture, std::string_view type,
                           const std::vector<conf::HostModel>& models);

// Never empty; the type where the processor has no name.
std::string model_of_processor(const CpuIdentity& cpu, std::string_view machine);

}  // namespace rollcall::load
