package retrial.agent;

import java.io.ByteArrayOutputStream;

/** What a class file is written into: big-endian numbers. */
final class Bytes extends ByteArrayOutputStream {
  Bytes u1(int value) {
    write(value);
    return this;
  }

  Bytes u2(int value) { return u1(value >> 8).u1(value); }

  Bytes u4(int value) { return u2(value >>> 16).u2(value); }

  Bytes all(byte[] bytes, int from, int to) {
    write(bytes, from, to - from);
    return this;
  }

  Bytes all(Bytes other) { return all(other.toByteArray(), 0, other.size()); }
}
