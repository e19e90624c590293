package retrial.agent;

/** A StackMapTable (JVMS 4.7.4) whose code has got `by` bytes put before it. */
final class StackMap {
  private final Bytes out = new Bytes();
  private final byte[] in;
  private final int by;
  private int at;

  /** The attribute's content, from `from` on. */
  static byte[] moved(byte[] in, int from, int by) {
    StackMap map = new StackMap(in, from, by);
    int frames = map.copy2();
    for (int i = 0; i < frames; i++) map.frame(i == 0 ? by : 0);
    return map.out.toByteArray();
  }

  private StackMap(byte[] in, int from, int by) {
    this.in = in;
    this.at = from;
    this.by = by;
  }

  /** Only the first frame says where it is from the start of the code on; the others count from the one before. */
  private void frame(int more) {
    int kind = u1();
    if (kind < 64) {
      if (more == 0)
        out.u1(kind);
      else
        out.u1(251).u2(kind + more);
    } else if (kind < 128) {
      if (more == 0)
        out.u1(kind);
      else
        out.u1(247).u2(kind - 64 + more);
      type();
    } else if (kind == 255) {
      out.u1(kind).u2(u2() + more);
      for (int list = 0; list < 2; list++)
        for (int n = copy2(); n > 0; n--) type();
    } else {
      out.u1(kind).u2(u2() + more);
      if (kind == 247) type();
      for (int n = kind - 251; n > 0; n--) type();
    }
  }

  private void type() {
    int tag = u1();
    out.u1(tag);
    if (tag == 7) copy2();
    if (tag == 8) out.u2(u2() + by); // the place of a `new`
  }

  private int u1() { return in[at++] & 0xFF; }

  private int u2() { return u1() << 8 | u1(); }

  private int copy2() {
    int value = u2();
    out.u2(value);
    return value;
  }
}
