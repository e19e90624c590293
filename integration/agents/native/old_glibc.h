/* Included before each source. What glibc gave another version when it moved into libc.so is asked for by the first
   one, which every glibc has: what is preloaded must load wherever the client runs, and not only where it was built. */
#if defined(__x86_64__)
#define FIRST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define FIRST "GLIBC_2.17"
#endif
#ifdef FIRST
__asm__(".symver dlsym,dlsym@" FIRST);
__asm__(".symver dlvsym,dlvsym@" FIRST);
__asm__(".symver dlopen,dlopen@" FIRST);
__asm__(".symver pthread_key_create,pthread_key_create@" FIRST);
__asm__(".symver pthread_setspecific,pthread_setspecific@" FIRST);
__asm__(".symver pthread_mutex_trylock,pthread_mutex_trylock@" FIRST);
__asm__(".symver pthread_sigmask,pthread_sigmask@" FIRST);
#undef FIRST
#endif
