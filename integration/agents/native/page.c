/* The page: found at the start, a slot for each thread that waits. */
#include "client.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern const char* gnu_get_libc_version(void) __attribute__((weak)); /* no other libc has it */

static struct retrial_time_page none = {.slice = FOR_EVER};
static struct retrial_time_page* page = &none;
static __thread struct retrial_time_slot* own __attribute__((tls_model("initial-exec")));
static pthread_key_t at_thread_end;

int attached(void) { return page != &none; }
int64_t ahead(void) { return __atomic_load_n(&page->ahead, __ATOMIC_RELAXED); }
int64_t longest_slice(void) { return __atomic_load_n(&page->slice, __ATOMIC_RELAXED); }

static void give_back(void* taken) {
  struct retrial_time_slot* slot = taken;
  own = NULL;
  __atomic_store_n(&slot->until, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->thread, 0, __ATOMIC_RELEASE);
}

struct retrial_time_slot* take_slot(uint32_t kind) {
  if (!attached()) return NULL;
  int32_t thread = (int32_t)syscall(SYS_gettid);
  for (uint32_t i = 0; i < RETRIAL_TIME_SLOTS; i++) {
    struct retrial_time_slot* slot = &page->slot[i];
    int32_t nobody = 0;
    /* -1: being filled in */
    if (!__atomic_compare_exchange_n(&slot->thread, &nobody, -1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) continue;
    slot->kind = kind;
    __atomic_store_n(&slot->until, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->process, (int32_t)getpid(), __ATOMIC_RELAXED);
    __atomic_store_n(&slot->thread, thread, __ATOMIC_RELEASE);
    uint32_t used = __atomic_load_n(&page->used, __ATOMIC_RELAXED);
    while (used <= i &&
           !__atomic_compare_exchange_n(&page->used, &used, i + 1, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
    return slot;
  }
  return NULL; /* full: the thread's waits are not seen, so nothing jumps while it sleeps */
}

struct retrial_time_slot* own_slot(void) {
  if (!own && attached() && (own = take_slot(RETRIAL_TIME_THREAD))) pthread_setspecific(at_thread_end, own);
  return own;
}

static void after_fork(void) {
  own = NULL; /* the parent's */
  timers_after_fork();
  own_slot();
}

/* What the image before an exec has left. */
static void clear_slots(struct retrial_time_page* shared) {
  uint32_t used = __atomic_load_n(&shared->used, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < used && i < RETRIAL_TIME_SLOTS; i++)
    if (__atomic_load_n(&shared->slot[i].process, __ATOMIC_RELAXED) == getpid()) {
      __atomic_store_n(&shared->slot[i].process, 0, __ATOMIC_RELAXED);
      give_back(&shared->slot[i]);
    }
}

__attribute__((constructor(101))) static void start(void) {
  const char* file = getenv("RETRIAL_TIME");
  if (!file || !gnu_get_libc_version || !dlsym(RTLD_NEXT, "sem_clockwait")) return; /* glibc 2.30 */
  int fd = open(file, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  struct retrial_time_page* shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (shared == MAP_FAILED) return;
  if (shared->magic != RETRIAL_TIME_MAGIC || shared->size != sizeof *shared) {
    munmap(shared, sizeof *shared);
    return;
  }
  clear_slots(shared);
  pthread_key_create(&at_thread_end, give_back);
  pthread_atfork(NULL, NULL, after_fork);
  page = shared;
  own_slot(); /* tells of the process, even if it never waits */
  timers_at_start();
}
