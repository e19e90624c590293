/* Who starts a program may give it another value of a variable in which our part stands: `PYTHONPATH=src pytest` in a
 * Makefile, `NODE_OPTIONS=--expose-gc jest`. What else of ours it is given whole would then look for what is not there.
 * So each program that is started with our variables gets our parts of the lists (campaign/workload/variables.h) as
 * well. Who gives it none of our variables leaves it as it is.
 *
 * It may run in a child of vfork, where nothing may be taken from the heap: all of it stands on the stack. */
#include <alloca.h>
#include <dlfcn.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner.h"

extern char** environ;

enum { most_items = 32, most_bytes = 64 * 1024 };

/* A line of RETRIAL_LISTS: how it is put, its separator, and "NAME=value". */
struct item {
  char how, separator;
  const char* entry;
  size_t name, value; /* lengths */
};
static char lines[most_bytes];
static struct item items[most_items];
static int count;

static int (*next_execve)(const char*, char* const[], char* const[]);
static int (*next_execvpe)(const char*, char* const[], char* const[]);
static int (*next_spawn)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                         char* const[], char* const[]);
static int (*next_spawnp)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                          char* const[], char* const[]);

static void find(void) {
  next_execve = (__typeof__(next_execve))dlsym(RTLD_NEXT, "execve");
  next_execvpe = (__typeof__(next_execvpe))dlsym(RTLD_NEXT, "execvpe");
  next_spawn = (__typeof__(next_spawn))dlsym(RTLD_NEXT, "posix_spawn");
  next_spawnp = (__typeof__(next_spawnp))dlsym(RTLD_NEXT, "posix_spawnp");
}

__attribute__((constructor(103))) static void start(void) {
  find();
  const char* all = variable("RETRIAL_LISTS");
  if (!all || strlen(all) >= sizeof lines) return;
  strcpy(lines, all);
  for (char* line = lines; *line && count < most_items;) {
    char* end = strchr(line, '\n');
    if (!end) break;
    *end = 0;
    char* equals = strchr(line, '=');
    if (end - line > 3 && equals) {
      items[count++] = (struct item){line[0], line[1], line + 2, (size_t)(equals - line) - 2, strlen(equals + 1)};
    }
    line = end + 1;
  }
}

static const char* value_of(const struct item* it) { return it->entry + it->name + 1; }

/* Does the entry of an environment hold the item: all of it, or of an option its name? */
static int holds(const char* entry, const struct item* it) {
  const char* there = entry + it->name + 1;
  size_t telling = it->how == 'o' ? strcspn(value_of(it), "=") + 1 : it->value;
  return memmem(there, strlen(there), value_of(it), telling < it->value ? telling : it->value) != NULL;
}
static int is_of(const char* entry, const struct item* it) {
  return !strncmp(entry, it->entry, it->name + 1); /* the '=' too */
}

/* How many bytes `mended` writes at most; 0: nothing is to be mended. */
static size_t needed(char* const envp[], size_t* entries) {
  size_t bytes = 0, missing = 0, ours = 0;
  for (*entries = 0; envp[*entries]; ++*entries)
    if (!strncmp(envp[*entries], "RETRIAL_EVENTS=", 15)) ours = 1;
  if (!ours) return 0;
  for (int i = 0; i < count; i++) {
    char* const* e = envp;
    while (*e && !is_of(*e, &items[i])) e++;
    if (*e && holds(*e, &items[i])) continue;
    missing++;
    bytes += items[i].name + items[i].value + 3 + (*e ? strlen(*e) : 0);
  }
  /* A variable of several items is written once for each. */
  return missing ? bytes * missing + 1 : 0;
}

/* The environment in `out` (so many entries and `count` more, and the null), what is new of it in `bytes`. */
static void mended(char* const envp[], size_t entries, char** out, char* bytes) {
  memcpy(out, envp, (entries + 1) * sizeof *out);
  for (int i = 0; i < count; i++) {
    const struct item* it = &items[i];
    size_t at = 0;
    while (out[at] && !is_of(out[at], it)) at++;
    if (out[at] && holds(out[at], it)) continue;
    const char* was = out[at] ? out[at] + it->name + 1 : "";
    if (!out[at]) out[++entries] = NULL;
    int length = !*was ? sprintf(bytes, "%s", it->entry)
                 : it->how == 'f'
                     ? sprintf(bytes, "%s%c%s", it->entry, it->separator, was)
                     : sprintf(bytes, "%.*s=%s%c%s", (int)it->name, it->entry, was, it->separator, value_of(it));
    out[at] = bytes;
    bytes += length + 1;
  }
}

/* `name` is the environment from here on, mended where it has to be. Who starts programs before we are started finds
 * the next function by himself. */
#define MENDED(name)                                                  \
  size_t entries_ = 0, bytes_ = name ? needed(name, &entries_) : 0;   \
  if (bytes_ && bytes_ < most_bytes) {                                \
    char** out_ = alloca((entries_ + most_items + 1) * sizeof *out_); \
    mended(name, entries_, out_, alloca(bytes_));                     \
    name = out_;                                                      \
  }                                                                   \
  if (!next_execve) find();

PUBLIC int execve(const char* path, char* const argv[], char* const envp[]) {
  MENDED(envp)
  return next_execve(path, argv, envp);
}
PUBLIC int execv(const char* path, char* const argv[]) { return execve(path, argv, environ); }
PUBLIC int execvpe(const char* file, char* const argv[], char* const envp[]) {
  MENDED(envp)
  return next_execvpe(file, argv, envp);
}
PUBLIC int execvp(const char* file, char* const argv[]) { return execvpe(file, argv, environ); }
PUBLIC int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                       const posix_spawnattr_t* attributes, char* const argv[], char* const envp[]) {
  MENDED(envp)
  return next_spawn(pid, path, actions, attributes, argv, envp);
}
PUBLIC int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                        const posix_spawnattr_t* attributes, char* const argv[], char* const envp[]) {
  MENDED(envp)
  return next_spawnp(pid, file, actions, attributes, argv, envp);
}
