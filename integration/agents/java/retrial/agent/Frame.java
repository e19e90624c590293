package retrial.agent;

/** One function of the application that a request comes from. */
final class Frame {
  final String text; // file:line:function
  final boolean isTest, isInLoop;
  private final String name; // the same for each of its lines
  private String caller;

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
}
