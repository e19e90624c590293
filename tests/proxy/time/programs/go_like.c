/* Looks each second whether it is to go on, until it is ended, as esbuild does below Vite. Linked statically, with the
   note that Go's linker writes. */
#include <time.h>

__asm__(".pushsection .note.go.buildid, \"a\", @note\n"
        ".long 4, 4, 4\n"
        ".ascii \"Go\\0\\0like\"\n"
        ".popsection");

int main(void) {
  for (;;) {
    struct timespec second = {1, 0};
    nanosleep(&second, NULL);
  }
}
