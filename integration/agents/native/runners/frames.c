/* Of a program of machine code: the return addresses of who sends a head, each as its place in the file that it stands
 * in. Which functions these are Retrial reads from the files' own debug information: docs/agents.md. */
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner.h"

#define MOST_FRAMES 64
#define MOST_FILES 8

static int speaks; /* no program of a language that has an agent of its own */

__attribute__((constructor(102))) static void start(void) {
  static const char* const kInterpreters[] = {"Py_IsInitialized", "node_module_register", "ruby_init",
                                              "zend_eval_stringl", "JLI_Launch"};
  speaks = variable("RETRIAL_EVENTS") != NULL;
  for (size_t i = 0; i < sizeof kInterpreters / sizeof *kInterpreters; i++)
    if (dlsym(RTLD_DEFAULT, kInterpreters[i])) speaks = 0;
}

struct walk {
  void* frames[MOST_FRAMES];
  int count;
  struct {
    char name[512];
    uintptr_t bias;
  } files[MOST_FILES];
  int files_seen;
  signed char file_of[MOST_FRAMES]; /* -1: one that comes with the system */
};

/* What packages bring. Everything else may be the application, or hold it. */
static int is_of_the_system(const char* file) {
  static const char* const kFolders[] = {"/usr/", "/lib", "/bin/", "/sbin/"};
  for (size_t i = 0; i < sizeof kFolders / sizeof *kFolders; i++)
    if (!strncmp(file, kFolders[i], strlen(kFolders[i])) && strncmp(file, "/usr/local/", 11) &&
        strncmp(file, "/usr/src/", 9))
      return 1;
  return strstr(file, "/site-packages/") || strstr(file, "/node_modules/");
}

static int look(struct dl_phdr_info* file, size_t size, void* data) {
  (void)size;
  struct walk* w = data;
  int here = -1;
  for (int i = 0; i < w->count; i++) {
    uintptr_t at = (uintptr_t)w->frames[i] - file->dlpi_addr;
    for (int p = 0; p < file->dlpi_phnum; p++) {
      const ElfW(Phdr)* part = &file->dlpi_phdr[p];
      if (part->p_type != PT_LOAD || at < part->p_vaddr || at >= part->p_vaddr + part->p_memsz) continue;
      if (here < 0) {
        if (w->files_seen == MOST_FILES) return 1;
        char* name = w->files[w->files_seen].name;
        if (file->dlpi_name && *file->dlpi_name) {
          snprintf(name, sizeof w->files[0].name, "%s", file->dlpi_name);
        } else {
          ssize_t n = readlink("/proc/self/exe", name, sizeof w->files[0].name - 1);
          name[n < 0 ? 0 : n] = 0;
        }
        if (*name != '/' || is_of_the_system(name)) return 0;
        w->files[w->files_seen].bias = file->dlpi_addr;
        here = w->files_seen++;
      }
      w->file_of[i] = (signed char)here;
    }
  }
  return 0;
}

static void put_encoded(struct text* t, const char* words) {
  char one[4];
  for (; *words && t->end - t->at > 8; words++) {
    unsigned char c = (unsigned char)*words;
    int plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || strchr("/._-+", c);
    snprintf(one, sizeof one, plain ? "%c" : "%%%02X", c);
    put(t, one);
  }
}

/* x-retrial-frames: FILE:OFFSET,OFFSET,FILE:OFFSET in the order of the stack, the innermost first; offsets in hex. */
size_t frames_tag(char* tag) {
  if (!speaks) return 0;
  struct walk w = {.files_seen = 0};
  w.count = backtrace(w.frames, MOST_FRAMES);
  memset(w.file_of, -1, sizeof w.file_of);
  dl_iterate_phdr(look, &w);
  struct text t = {tag, tag + MOST_TAG - 4};
  put(&t, "x-retrial-frames: ");
  int any = 0, before = -1;
  for (int i = 0; i < w.count; i++) {
    int file = w.file_of[i];
    if (file < 0) continue;
    if (any++) put(&t, ",");
    if (file != before) put_encoded(&t, w.files[file].name), put(&t, ":");
    before = file;
    char offset[24];
    snprintf(offset, sizeof offset, "%lx", (unsigned long)((uintptr_t)w.frames[i] - w.files[file].bias - 1));
    put(&t, offset);
  }
  put(&t, "\r\n");
  static int announced;
  if (any && !__atomic_exchange_n(&announced, 1, __ATOMIC_RELAXED)) announce(NULL);
  return any && t.at < t.end ? (size_t)(t.at - tag) : 0;
}
