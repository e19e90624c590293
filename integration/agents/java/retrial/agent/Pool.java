package retrial.agent;

import java.nio.charset.StandardCharsets;

/** A class file's constants (JVMS 4.4): those that it has, and those that are added behind them. */
final class Pool {
  private final byte[] file;
  private final int[] at; // of each constant's tag
  final int end; // of the table
  final Bytes added = new Bytes();
  int count;

  Pool(byte[] file) {
    this.file = file;
    count = u2(8);
    at = new int[count];
    int next = 10;
    for (int i = 1; i < count; i++) {
      at[i] = next;
      int tag = file[next] & 0xFF;
      switch (tag) {
        case 1: next += 3 + u2(next + 1); break;
        case 3:
        case 4:
        case 9:
        case 10:
        case 11:
        case 12:
        case 17:
        case 18: next += 5; break;
        case 5:
        case 6:
          next += 9;
          i++;
          break;
        case 7:
        case 8:
        case 16:
        case 19:
        case 20: next += 3; break;
        case 15: next += 4; break;
        default: throw new IllegalArgumentException("constant of kind " + tag);
      }
    }
    end = next;
  }

  int u2(int offset) { return (file[offset] & 0xFF) << 8 | file[offset + 1] & 0xFF; }

  /** Of a CONSTANT_Utf8; the names that we look for are ASCII. */
  String text(int index) {
    int offset = at[index];
    return new String(file, offset + 3, u2(offset + 1), StandardCharsets.UTF_8);
  }

  /** Of a CONSTANT_Class. */
  String className(int index) { return text(u2(at[index] + 1)); }

  int addText(String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    added.u1(1).u2(bytes.length).all(bytes, 0, bytes.length);
    return next();
  }

  int addClass(String name) {
    int text = addText(name);
    added.u1(7).u2(text);
    return next();
  }

  int addMethod(int owner, int name, int descriptor) {
    added.u1(12).u2(name).u2(descriptor);
    int both = next();
    added.u1(10).u2(owner).u2(both);
    return next();
  }

  int addMethod(String owner, String name, String descriptor) {
    return addMethod(addClass(owner), addText(name), addText(descriptor));
  }

  private int next() {
    if (count >= 0xFFFF) throw new IllegalArgumentException("too many constants");
    return count++;
  }
}
