// How small static programs begin: as the C library begins them, but without asking the processor what it can do, and
// without preparing to load libraries (they have none).
//
// The questions are some 60 CPUID instructions. Each of them leaves a virtual machine (4 us where it was measured), so a
// fifth of all that TaskStarter costs one task went into choosing the fastest memcpy for a program that copies a few
// kilobytes. Unasked, the library takes what every x86-64 processor can do. It is not for programs that work for long.
//
// The library has no interface for this: the functions below are its own, by the names and in the order of glibc 2.36
// (csu/libc-start.c). So cmake/QuickStart.cmake uses this file only with the versions it was tested with, and only after
// a program that begins like this has run; all other builds begin as usual. What is unusual at run time begins as usual as
// well: a set-user-id start, and an environment with GLIBC_TUNABLES. docs/decisions/0022.
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int, char**, char**);

// The linker's: relocations whose value a function chooses, and constructors.
extern const Elf64_Rela __rela_iplt_start[] __attribute__((weak, visibility("hidden")));
extern const Elf64_Rela __rela_iplt_end[] __attribute__((weak, visibility("hidden")));
typedef void constructor(int, char**, char**);
extern constructor* __preinit_array_start[] __attribute__((visibility("hidden")));
extern constructor* __preinit_array_end[] __attribute__((visibility("hidden")));
extern constructor* __init_array_start[] __attribute__((visibility("hidden")));
extern constructor* __init_array_end[] __attribute__((visibility("hidden")));
void _init(void) __attribute__((visibility("hidden")));

// The C library's.
extern char** __environ;
extern void* __libc_stack_end;
extern void* _dl_random;
extern long __x86_shared_non_temporal_threshold __attribute__((visibility("hidden")));
void _dl_aux_init(Elf64_auxv_t*) __attribute__((visibility("hidden")));
void __libc_setup_tls(void);
void __libc_early_init(_Bool);
void __init_misc(int, char**, char**) __attribute__((visibility("hidden")));
extern int __libc_argc __attribute__((visibility("hidden")));
extern char** __libc_argv __attribute__((visibility("hidden")));
extern const Elf64_Phdr* _dl_phdr;
extern size_t _dl_phnum;
extern size_t _dl_pagesize;

// From this size on memcpy goes past the caches. The library's own figure comes from the size of the caches.
static const long kNonTemporal = 3 << 20;

static int begins_with(const char* text, const char* word) {
  while (*word != '\0')
    if (*text++ != *word++) return 0;
  return 1;
}

// True where nothing asks for more than the usual. Nothing of the library may be used yet.
__attribute__((used)) int rollcall_may_start_quickly(long* stack) {
  char** word = (char**)(stack + 1) + *stack + 1;
  for (; *word != NULL; ++word)
    if (begins_with(*word, "GLIBC_TUNABLES=")) return 0;
  for (const Elf64_auxv_t* entry = (const Elf64_auxv_t*)(word + 1); entry->a_type != AT_NULL; ++entry)
    if (entry->a_type == AT_SECURE && entry->a_un.a_val != 0) return 0;
  return 1;
}

// What was written once, by relocations, is not written again.
static void protect_relocated(void) {
  for (const Elf64_Phdr* header = _dl_phdr; header < _dl_phdr + _dl_phnum; ++header) {
    if (header->p_type != PT_GNU_RELRO) continue;
    const uintptr_t begin = header->p_vaddr & -_dl_pagesize;
    const uintptr_t end = (header->p_vaddr + header->p_memsz) & -_dl_pagesize;
    if (begin < end && mprotect((void*)begin, end - begin, PROT_READ) != 0) _exit(127);
  }
}

__attribute__((used, noreturn)) void rollcall_start_quickly(long* stack) {
  const int argc = (int)*stack;
  char** const argv = (char**)(stack + 1);
  __environ = argv + argc + 1;
  __libc_stack_end = stack;
  char** end = __environ;
  while (*end != NULL) ++end;
  _dl_aux_init((Elf64_auxv_t*)(end + 1));
  __x86_shared_non_temporal_threshold = kNonTemporal;
  for (const Elf64_Rela* entry = __rela_iplt_start; entry < __rela_iplt_end; ++entry)
    *(uintptr_t*)entry->r_offset = ((uintptr_t(*)(void))entry->r_addend)();
  __libc_setup_tls();
  // The stack's canary has no byte that a string could hold at its begin.
  const uintptr_t* random = _dl_random;
  __asm__ volatile("mov %0, %%fs:0x28" : : "r"(random[0] & ~(uintptr_t)0xff));
  __asm__ volatile("mov %0, %%fs:0x30" : : "r"(random[1]));
  __libc_early_init(1);
  __libc_argc = argc;
  __libc_argv = argv;
  __init_misc(argc, argv, __environ);
  protect_relocated();
  for (constructor** each = __preinit_array_start; each < __preinit_array_end; ++each)
    (*each)(argc, argv, __environ);
  _init();
  for (constructor** each = __init_array_start; each < __init_array_end; ++each)
    (*each)(argc, argv, __environ);
  exit(main(argc, argv, __environ));
}

// The kernel jumps here with the words on the stack. rdx is a function for the end of a dynamic program: none here.
__asm__(
    ".text\n"
    ".globl rollcall_start\n"
    ".type rollcall_start, @function\n"
    "rollcall_start:\n"
    "  xor %ebp, %ebp\n"
    "  mov %rsp, %rbx\n"
    "  mov %rsp, %rdi\n"
    "  and $-16, %rsp\n"
    "  call rollcall_may_start_quickly\n"
    "  mov %rbx, %rdi\n"
    "  test %eax, %eax\n"
    "  jnz rollcall_start_quickly_aligned\n"
    "  mov %rbx, %rsp\n"
    "  xor %edx, %edx\n"
    "  xor %ebx, %ebx\n"
    "  jmp _start\n"
    "rollcall_start_quickly_aligned:\n"
    "  call rollcall_start_quickly\n"
    "  hlt\n"
    ".size rollcall_start, . - rollcall_start\n");
