package retrial.agent;

/** Where a request comes from. */
final class Origin {
  static final Origin NONE = new Origin(new Frame[0], null, null, null);

  final Frame[] chain; // the call site first
  final Frame statement; // of the test that runs; null where it is not seen
  final String call; // null where it cannot be told
  final String library; // that sends it, and would send it again; null likewise

  Origin(Frame[] chain, Frame statement, String call, String library) {
    this.chain = chain;
    this.statement = statement;
    this.call = call;
    this.library = library;
  }

  boolean hasSite() { return chain.length > 0; }

  Origin by(String library) { return new Origin(chain, statement, call, library); }
}
