package retrial.agent;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** A failure as the contract's chain: every exception, outermost first, and how each hangs on the one before. */
final class Chain {
  private Chain() {}

  private static final int MOST = 16, MOST_CHARACTERS = 4000;
  private static final String[] CODES = {"status", "statusCode", "code", "httpStatus", "responseCode"};
  private static final String[] ASSERTING = {"org.junit.", "junit.framework.", "org.testng.", "org.assertj.",
      "org.hamcrest.", "org.opentest4j.", "java.", "jdk.", "com.google.common.truth.", "kotlin.test."};

  /** As a JSON list; empty for null. */
  static String of(Throwable thrown) {
    StringBuilder out = new StringBuilder("[");
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (String link = "raised"; thrown != null && seen.size() < MOST && seen.add(thrown);
        thrown = thrown.getCause(), link = "cause")
      out.append(out.length() > 1 ? "," : "").append(entry(thrown, link));
    return out.append("]").toString();
  }

  /** What ends a thread ends the program where that is the first. */
  static void uncaught(Thread thread, Throwable thrown) {
    if (Events.isAnnounced() && thread.getName().equals("main"))
      Events.write(new Json("uncaught").raw("chain", of(thrown)));
  }

  private static Json entry(Throwable thrown, String link) {
    Json entry =
        new Json().put("type", thrown.getClass().getName()).put("msg", Json.cut(message(thrown), MOST_CHARACTERS));
    String code = code(thrown);
    if (code != null) entry.put("code", code);
    entry.put("link", link);
    StackTraceElement[] places = thrown.getStackTrace();
    Sources.Of of = null;
    int at = 0;
    boolean isAssertion = thrown instanceof AssertionError;
    while (isAssertion && at < places.length && isAsserting(places[at].getClassName())) at++; // it fails for its caller
    if (at < places.length) {
      of = sourcesOf(places[at].getClassName());
      entry.put("file", of == null || !of.isApplication ? places[at].getFileName() : of.file(places[at].getFileName()));
      entry.put("line", Math.max(places[at].getLineNumber(), 0));
      entry.put("function",
          of == null || !of.isApplication ? places[at].getClassName() + "." + places[at].getMethodName()
                                          : of.function(places[at].getMethodName()));
    }
    return entry.put("in_test", isAssertion || of != null && of.isTest);
  }

  private static String message(Throwable thrown) {
    try {
      String text = thrown.getMessage();
      return text == null ? "" : text;
    } catch (RuntimeException error) {
      return "<unprintable>";
    }
  }

  /** The code or the status that it holds, by a field or a method of one of these names; null if it has none. */
  private static String code(Throwable thrown) {
    for (Class<?> type = thrown.getClass(); type != null && !type.getName().startsWith("java."); type = type.getSuperclass())
      for (String name : CODES) {
        Object value = held(thrown, type, name);
        if (value instanceof Number || value instanceof String || value instanceof Enum) return value.toString();
      }
    return null;
  }

  private static Object held(Throwable thrown, Class<?> type, String name) {
    String getter = "get" + name.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + name.substring(1);
    for (String method : new String[] {name, getter})
      try {
        java.lang.reflect.Method found = type.getDeclaredMethod(method);
        found.setAccessible(true);
        return found.invoke(thrown);
      } catch (ReflectiveOperationException | RuntimeException | LinkageError error) {
        // it has none, or it is not ours to ask
      }
    try {
      java.lang.reflect.Field found = type.getDeclaredField(name);
      found.setAccessible(true);
      return found.get(thrown);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError error) {
      return null;
    }
  }

  private static boolean isAsserting(String type) {
    for (String start : ASSERTING)
      if (type.startsWith(start)) return true;
    return false;
  }

  private static Sources.Of sourcesOf(String type) {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    try {
      return Sources.of(Class.forName(type, false, loader == null ? ClassLoader.getSystemClassLoader() : loader));
    } catch (ClassNotFoundException | LinkageError error) {
      return null;
    }
  }
}
