package retrial.agent;

import java.io.InputStream;
import java.util.HashSet;
import java.util.Set;

/**
 * Which lines of a class stand in a loop: what lies between a jump back and where it goes (JVMS 4.7.3, 6.5), as it was
 * compiled. Other agents may have changed its code since, and leave its lines.
 */
final class Loops {
  private final Pool pool;
  private final byte[] in;
  private final Set<String> lines = new HashSet<>(); // with the method's name

  private Loops(byte[] file) {
    in = file;
    pool = new Pool(file);
    int at = pool.end + 8 + 2 * pool.u2(pool.end + 6);
    for (int kind = 0; kind < 2; kind++) { // fields, methods
      int count = pool.u2(at);
      at += 2;
      for (; count > 0; count--) {
        String name = pool.text(pool.u2(at + 2));
        int attributes = pool.u2(at + 6);
        at += 8;
        for (; attributes > 0; attributes--) {
          if (kind == 1 && pool.text(pool.u2(at)).equals("Code")) code(name, at + 6);
          at += 6 + u4(at + 2);
        }
      }
    }
  }

  /** Empty where its file is not to be had. */
  static Set<String> of(Class<?> type) {
    try (InputStream file = type.getClassLoader().getResourceAsStream(type.getName().replace('.', '/') + ".class")) {
      return file == null ? Set.of() : new Loops(file.readAllBytes()).lines;
    } catch (Exception error) {
      return Set.of();
    }
  }

  static String key(String method, int line) { return method + " " + line; }

  private void code(String method, int from) {
    int begin = from + 8, end = begin + u4(from + 4);
    boolean[] inLoop = new boolean[end - begin];
    for (int at = begin; at < end; at += length(at, begin)) {
      int op = in[at] & 0xFF, by = 0;
      if (op >= 0x99 && op <= 0xA8 || op == 0xC6 || op == 0xC7) by = (short) pool.u2(at + 1);
      if (op == 0xC8 || op == 0xC9) by = u4(at + 1);
      for (int n = at + by; by < 0 && n <= at; n++) inLoop[n - begin] = true;
    }
    int at = end + 2 + 8 * pool.u2(end), attributes = pool.u2(at);
    for (at += 2; attributes > 0; attributes--, at += 6 + u4(at + 2))
      if (pool.text(pool.u2(at)).equals("LineNumberTable"))
        for (int n = 0; n < pool.u2(at + 6); n++)
          if (inLoop[pool.u2(at + 8 + 4 * n)]) lines.add(key(method, pool.u2(at + 10 + 4 * n)));
  }

  private int length(int at, int begin) {
    int op = in[at] & 0xFF, aligned = at + 4 - (at - begin) % 4;
    if (op == 0xAA) return aligned + 12 + 4 * (u4(aligned + 8) - u4(aligned + 4) + 1) - at; // tableswitch
    if (op == 0xAB) return aligned + 8 + 8 * u4(aligned + 4) - at; // lookupswitch
    if (op == 0xC4) return (in[at + 1] & 0xFF) == 0x84 ? 6 : 4; // wide
    if (op == 0x10 || op == 0x12 || op >= 0x15 && op <= 0x19 || op >= 0x36 && op <= 0x3A || op == 0xA9 || op == 0xBC)
      return 2;
    if (op == 0x11 || op == 0x13 || op == 0x14 || op == 0x84 || op >= 0x99 && op <= 0xA8 || op >= 0xB2 && op <= 0xB8
        || op == 0xBB || op == 0xBD || op == 0xC0 || op == 0xC1 || op == 0xC6 || op == 0xC7)
      return 3;
    if (op == 0xC5) return 4;
    return op == 0xB9 || op == 0xBA || op == 0xC8 || op == 0xC9 ? 5 : 1;
  }

  private int u4(int offset) { return pool.u2(offset) << 16 | pool.u2(offset + 2); }
}
