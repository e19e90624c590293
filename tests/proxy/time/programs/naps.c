/* Sleeps so many ms (argv[1]). Linked statically, so that nothing can be preloaded into it. */
#include <stdlib.h>
#include <time.h>

int main(int count, char** arguments) {
  long ms = count > 1 ? atol(arguments[1]) : 0;
  struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  return nanosleep(&time, NULL);
}
