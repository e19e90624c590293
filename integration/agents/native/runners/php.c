/* PHP: where it or libcurl sends a head of HTTP/1 in clear text, the agent's own PHP is asked for the tag
 * (php/lib/Tag.php), as a function of the interpreter's may call back. What is told to who sends is what it would have
 * been without it. */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner.h"

/* As the interpreter lays them out, since version 7. */
struct php_string {
  uint32_t references, kind;
  uint64_t hash;
  size_t length;
  char bytes[];
};
struct php_value {
  struct php_string* string;
  uint32_t type, more;
};
#define PHP_STRING 6
#if defined(__x86_64__)
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#define GLOB_DAT R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#define GLOB_DAT R_AARCH64_GLOB_DAT
#endif
#define MOST_TAG 8192

static ssize_t (*next_send)(int, const void*, size_t, int);
static int (*evaluate)(const char*, size_t, struct php_value*, const char*);
static void (*let_go)(struct php_value*);

/* PHP opens its extensions so that they, and libcurl with them, find libc's functions before those that are preloaded.
 */
static void* open_extension(const char* file, int flags) { return dlopen(file, flags & ~RTLD_DEEPBIND); }

/* In the program's own table of functions: no other library's dlopen is anything but libc's. */
static int take_dlopen(struct dl_phdr_info* program, size_t size, void* data) {
  (void)size, (void)data;
  const ElfW(Sym)* symbols = NULL;
  const char* names = NULL;
  const ElfW(Rela) * tables[2] = {0};
  size_t sizes[2] = {0};
  for (int i = 0; i < program->dlpi_phnum; i++) {
    if (program->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    for (const ElfW(Dyn)* d = (void*)(program->dlpi_addr + program->dlpi_phdr[i].p_vaddr); d->d_tag != DT_NULL; d++) {
      if (d->d_tag == DT_SYMTAB) symbols = (void*)d->d_un.d_ptr;
      if (d->d_tag == DT_STRTAB) names = (void*)d->d_un.d_ptr;
      if (d->d_tag == DT_JMPREL) tables[0] = (void*)d->d_un.d_ptr;
      if (d->d_tag == DT_PLTRELSZ) sizes[0] = d->d_un.d_val;
      if (d->d_tag == DT_RELA) tables[1] = (void*)d->d_un.d_ptr;
      if (d->d_tag == DT_RELASZ) sizes[1] = d->d_un.d_val;
    }
  }
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int t = 0; t < 2 && symbols && names; t++)
    for (const ElfW(Rela)* r = tables[t]; r && r < tables[t] + sizes[t] / sizeof *r; r++) {
      unsigned type = ELF64_R_TYPE(r->r_info);
      if (type != JUMP_SLOT && type != GLOB_DAT) continue;
      if (strcmp(names + symbols[ELF64_R_SYM(r->r_info)].st_name, "dlopen")) continue;
      void** slot = (void**)(program->dlpi_addr + r->r_offset);
      void* from = (void*)((uintptr_t)slot & ~(page - 1));
      if (mprotect(from, page, PROT_READ | PROT_WRITE) == 0) *slot = (void*)open_extension;
    }
  return 1; /* the first is the program */
}

__attribute__((constructor(102))) static void start(void) {
  next_send = (__typeof__(next_send))dlsym(RTLD_NEXT, "send");
  if (!variable("RETRIAL_EVENTS")) return;
  let_go = (__typeof__(let_go))dlsym(RTLD_DEFAULT, "zval_ptr_dtor");
  if (let_go) evaluate = (__typeof__(evaluate))dlsym(RTLD_DEFAULT, "zend_eval_stringl");
  if (evaluate) dl_iterate_phdr(take_dlopen, NULL);
}

static ssize_t send_as_it_is(int fd, const void* bytes, size_t length, int flags) {
  return next_send ? next_send(fd, bytes, length, flags) : syscall(SYS_sendto, fd, bytes, length, flags, NULL, 0);
}

/* The length of the first line of a request that bears no tag yet; 0: it is none. */
static size_t first_line(const char* bytes, size_t length) {
  size_t at = 0;
  while (at < length && bytes[at] >= 'A' && bytes[at] <= 'Z') at++;
  if (at == 0 || at >= length || bytes[at] != ' ' || !strncmp(bytes, "CONNECT ", 8)) return 0;
  const char* end = memmem(bytes, length, "\r\n", 2);
  if (!end || end - bytes < 12 || (strncmp(end - 9, " HTTP/1.1", 9) && strncmp(end - 9, " HTTP/1.0", 9))) return 0;
  const char* over = memmem(bytes, length, "\r\n\r\n", 4);
  if (memmem(bytes, over ? (size_t)(over - bytes) : length, "\r\nx-retrial-site:", 17)) return 0;
  return (size_t)(end + 2 - bytes);
}

/* Loopback or private, as those of all connections that are captured. */
static int is_near(int fd) {
  struct sockaddr_storage peer;
  socklen_t size = sizeof peer;
  if (getpeername(fd, (struct sockaddr*)&peer, &size)) return 0;
  uint32_t v4;
  if (peer.ss_family == AF_INET6) {
    const unsigned char* v6 = ((struct sockaddr_in6*)&peer)->sin6_addr.s6_addr;
    if (!IN6_IS_ADDR_V4MAPPED(&((struct sockaddr_in6*)&peer)->sin6_addr))
      return IN6_IS_ADDR_LOOPBACK(&((struct sockaddr_in6*)&peer)->sin6_addr) || (v6[0] & 0xfe) == 0xfc;
    memcpy(&v4, v6 + 12, 4);
  } else if (peer.ss_family == AF_INET) {
    v4 = ((struct sockaddr_in*)&peer)->sin_addr.s_addr;
  } else {
    return 0;
  }
  v4 = ntohl(v4);
  return v4 >> 24 == 127 || v4 >> 24 == 10 || v4 >> 16 == 0xc0a8 || v4 >> 20 == 0xac1;
}

/* The tag's length. */
static size_t ask(char* tag) {
  static const char kAsks[] = "class_exists('Retrial\\Tag', false) ? \\Retrial\\Tag::lines() : ''";
  struct php_value value = {0};
  if (evaluate(kAsks, sizeof kAsks - 1, &value, "retrial") != 0) return 0;
  size_t length = 0;
  if ((value.type & 0xff) == PHP_STRING && value.string->length < MOST_TAG) {
    length = value.string->length;
    memcpy(tag, value.string->bytes, length);
  }
  let_go(&value);
  return length;
}

/* The tag goes whole: half of one would be the service's to read. */
static void send_rest(int fd, const char* bytes, size_t length, int flags) {
  while (length > 0) {
    ssize_t n = send_as_it_is(fd, bytes, length, flags);
    if (n > 0) {
      bytes += n, length -= (size_t)n;
    } else if (errno == EAGAIN) {
      struct pollfd writable = {fd, POLLOUT, 0};
      poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

PUBLIC ssize_t send(int fd, const void* bytes, size_t length, int flags) {
  int kept = errno;
  size_t first = evaluate && (pid_t)syscall(SYS_gettid) == getpid() ? first_line(bytes, length) : 0;
  char tag[MOST_TAG];
  size_t tagged = first && is_near(fd) ? ask(tag) : 0;
  char* all = tagged ? malloc(length + tagged) : NULL;
  errno = kept;
  if (!all) return send_as_it_is(fd, bytes, length, flags);
  memcpy(all, bytes, first);
  memcpy(all + first, tag, tagged);
  memcpy(all + first + tagged, (const char*)bytes + first, length - first);
  ssize_t n = send_as_it_is(fd, all, length + tagged, flags);
  if (n > 0) {
    size_t sent = (size_t)n;
    if (sent < first + tagged) send_rest(fd, all + sent, first + tagged - sent, flags), sent = first + tagged;
    n = (ssize_t)(sent - tagged);
  }
  kept = errno;
  free(all);
  errno = kept;
  return n;
}
