package retrial.agent;

/** Where a request comes from. */
final class Origin {
  final String site; // file:line:function
  final String call; // null where it cannot be told

  Origin(String site, String call) {
    this.site = site;
    this.call = call;
  }
}
