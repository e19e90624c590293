package retrial.agent;

import java.util.HashMap;
import java.util.Map;

/** JUnit 4 by its own notifier, where no platform of JUnit 5 runs it. */
final class JUnit4 {
  private JUnit4() {}

  private static final Map<String, String> outcomes =
      new HashMap<>(); // of running tests: what is known, as JSON behind the outcome

  static synchronized void told(int what, Object about) throws Exception {
    if (about == null || !Events.claim("junit4")) return;
    boolean isFailure = about.getClass().getName().equals("org.junit.runner.notification.Failure");
    Object description = isFailure ? Reach.call(about, "getDescription") : about;
    String type = (String) Reach.call(description, "getClassName"),
           method = (String) Reach.call(description, "getMethodName");
    String id = method == null ? type : Executions.named(type + "#" + method);
    switch (what) {
      case Rules.JUNIT4_SUITE:
        if (isClass(description)) Current.start(id, Current.SHARED);
        break;
      case Rules.JUNIT4_SUITE_END:
        if (isClass(description)) Current.end(id, Current.SHARED);
        break;
      case Rules.JUNIT4_STARTED:
        outcomes.put(id, "passed");
        Current.start(id, "test");
        break;
      case Rules.JUNIT4_FINISHED:
        Current.end(id, "test");
        if (outcomes.containsKey(id)) result(id, outcomes.remove(id), "test");
        break;
      default:
        outcome(
            what, id, method == null, isFailure ? (Throwable) Reach.call(about, "getException") : null, description);
    }
  }

  /** What fails without a test of its own is its class's set-up: an error of each of its tests. */
  private static void outcome(int what, String id, boolean ofClass, Throwable thrown, Object description)
      throws Exception {
    String outcome = what == Rules.JUNIT4_FAILED ? ofClass ? "error" : "failed" : "skipped";
    String told = outcome + " " + Chain.of(thrown);
    if (outcomes.containsKey(id)) {
      outcomes.put(id, told);
    } else if (!ofClass) {
      result(id, told, "test");
    } else {
      for (Object child : (Iterable<?>) Reach.call(description, "getChildren"))
        result(Executions.named(Reach.call(child, "getClassName") + "#" + Reach.call(child, "getMethodName")), told,
            "setup");
    }
  }

  private static void result(String id, String told, String phase) {
    Relaunch.ran(id);
    int space = told.indexOf(' ');
    String outcome = space < 0 ? told : told.substring(0, space);
    Events.write(new Json("result")
            .put("id", id)
            .put("phase", phase)
            .put("outcome", outcome)
            .put("ms", 0)
            .raw("chain", space < 0 ? "[]" : told.substring(space + 1)));
  }

  /** Not the suite of all, nor a set of parameters. */
  private static boolean isClass(Object description) throws Exception {
    return Reach.call(description, "getTestClass") != null;
  }
}
