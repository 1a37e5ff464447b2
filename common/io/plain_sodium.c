// Takes the place of libsodium's runtime.c, which asks the processor what it can do with some ten CPUID instructions:
// quick_start.c tells why TaskStarter does not. libsodium then takes its portable implementations; they compute the same.
#define NOT_ASKED(feature) \
  int sodium_runtime_has_##feature(void) { return 0; }

int _sodium_runtime_get_cpu_features(void);
int _sodium_runtime_get_cpu_features(void) { return 0; }

NOT_ASKED(neon)
NOT_ASKED(sse2)
NOT_ASKED(sse3)
NOT_ASKED(ssse3)
NOT_ASKED(sse41)
NOT_ASKED(avx)
NOT_ASKED(avx2)
NOT_ASKED(avx512f)
NOT_ASKED(pclmul)
NOT_ASKED(aesni)
NOT_ASKED(rdrand)
