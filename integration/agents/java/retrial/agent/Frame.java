package retrial.agent;

import java.nio.charset.StandardCharsets;

/** One function of the application that a request comes from. */
final class Frame {
  final String text; // file:line:function
  final boolean isTest, isInLoop;
  private final String name; // the same for each of its lines
  private String caller, statement;

  Frame(String file, int line, String function, boolean isTest, boolean isInLoop) {
    text = file + ":" + line + ":" + function;
    name = file + ":" + function;
    this.isTest = isTest;
    this.isInLoop = isInLoop;
  }

  boolean isSameFunction(Frame other) { return name.equals(other.name); }

  /** As one of those that called the site: a comma parts them. */
  String asCaller() {
    if (caller == null) caller = Tag.encoded(text).replace(",", "%2C");
    return caller;
  }

  /** As the statement of a test: a hash (FNV-1a). */
  String asStatement() {
    if (statement == null) {
      long hash = 0xcbf29ce484222325L;
      for (byte b : text.getBytes(StandardCharsets.UTF_8)) hash = (hash ^ b & 0xFF) * 0x100000001b3L;
      statement = Long.toHexString(hash);
    }
    return statement;
  }
}
