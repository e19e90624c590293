package desk;

import java.util.concurrent.ThreadLocalRandom;

/** How long to wait before an attempt is made again: 200 ms, twice as long each time, and up to half as long again. */
final class Pause {
  private Pause() {}

  static long before(int attempt) {
    long milliseconds = 200L << (attempt - 1);
    return milliseconds + ThreadLocalRandom.current().nextLong(milliseconds / 2);
  }
}
