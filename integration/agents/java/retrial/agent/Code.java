package retrial.agent;

/** A Code attribute (JVMS 4.7.3) with other code put before its own. */
final class Code {
  private Code() {}

  private static final int STACK = 4; // the most that our code pushes

  /** The new content of the attribute whose content begins at `from`. */
  static Bytes with(byte[] in, int from, byte[] before, Pool pool) {
    int by = before.length, length = u4(in, from + 4), at = from + 8 + length;
    if (length + by > 0xFFFF) throw new IllegalArgumentException("too long a method");
    Bytes out = new Bytes();
    out.u2(Math.max(pool.u2(from), STACK)).u2(pool.u2(from + 2)).u4(length + by);
    out.all(before, 0, by).all(in, from + 8, at);
    int handlers = pool.u2(at);
    out.u2(handlers);
    at += 2;
    for (; handlers > 0; handlers--, at += 8)
      out.u2(pool.u2(at) + by).u2(pool.u2(at + 2) + by).u2(pool.u2(at + 4) + by).u2(pool.u2(at + 6));
    int attributes = pool.u2(at);
    out.u2(attributes);
    at += 2;
    for (; attributes > 0; attributes--) {
      int size = u4(in, at + 2);
      Bytes moved = moved(in, at + 6, size, pool.text(pool.u2(at)), by, pool);
      out.u2(pool.u2(at)).u4(moved.size()).all(moved);
      at += 6 + size;
    }
    return out;
  }

  private static Bytes moved(byte[] in, int at, int size, String name, int by, Pool pool) {
    Bytes out = new Bytes();
    int end = at + size;
    switch (name) {
      case "StackMapTable": {
        byte[] map = StackMap.moved(in, at, by);
        return out.all(map, 0, map.length);
      }
      case "LineNumberTable":
        out.u2(pool.u2(at));
        for (at += 2; at < end; at += 4) out.u2(pool.u2(at) + by).all(in, at + 2, at + 4);
        return out;
      case "LocalVariableTable":
      case "LocalVariableTypeTable":
        out.u2(pool.u2(at));
        for (at += 2; at < end; at += 10) {
          int start = pool.u2(at), more = start == 0 ? by : 0; // parameters are there from the start on
          out.u2(start + by - more).u2(pool.u2(at + 2) + more).all(in, at + 4, at + 10);
        }
        return out;
      default: return out.all(in, at, end);
    }
  }

  private static int u4(byte[] in, int at) {
    return (in[at] & 0xFF) << 24 | (in[at + 1] & 0xFF) << 16 | (in[at + 2] & 0xFF) << 8 | in[at + 3] & 0xFF;
  }
}
