package retrial.agent;

/** Where a request comes from. */
final class Origin {
  static final Frame[] NOWHERE = {};

  final Frame[] chain; // the call site first
  final String call; // null where it cannot be told
  final String library; // that sends it, and would send it again; null likewise

  Origin(Frame[] chain, String call, String library) {
    this.chain = chain;
    this.call = call;
    this.library = library;
  }

  boolean hasSite() { return chain.length > 0; }

  Origin by(String library) { return new Origin(chain, call, library); }
}
