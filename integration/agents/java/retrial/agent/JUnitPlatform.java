package retrial.agent;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * JUnit 5 and whatever else its platform runs: a listener of the launcher, made as a proxy, and a filter where some
 * tests alone are to run.
 */
final class JUnitPlatform implements InvocationHandler {
  private static final WeakMap<Boolean> joined = new WeakMap<>();
  private static int depth; // a test may run a launcher inside of itself: only the outermost reports

  private static volatile String failedIn; // the phase of the running test

  private Object plan;
  private final Set<String> told = new HashSet<>();

  private JUnitPlatform() {}

  static synchronized void join(Object launcher) throws Exception {
    if (joined.get(launcher) != null) return;
    joined.put(launcher, true);
    Class<?> listener =
        Class.forName("org.junit.platform.launcher.TestExecutionListener", false, launcher.getClass().getClassLoader());
    Object list = Array.newInstance(listener, 1);
    Array.set(
        list, 0, Proxy.newProxyInstance(listener.getClassLoader(), new Class<?>[] {listener}, new JUnitPlatform()));
    Reach.call(launcher, "registerTestExecutionListeners", list);
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) {
    switch (method.getName()) {
      case "hashCode": return System.identityHashCode(proxy);
      case "equals": return proxy == arguments[0];
      case "toString": return "retrial";
      default:
    }
    try {
      told(method.getName(), arguments);
    } catch (Throwable error) {
      Events.failed("JUnit", error);
    }
    return null;
  }

  private synchronized void told(String what, Object[] arguments) throws Exception {
    if (what.equals("testPlanExecutionStarted") && entered(1) == 1 && Events.claim("junit")) plan = arguments[0];
    if (what.equals("testPlanExecutionFinished")) {
      entered(-1);
      plan = null;
    }
    if (plan == null) return;
    if (what.equals("executionStarted")) {
      String id = id(arguments[0]);
      if (!id.isEmpty()) Current.start(id, isTest(arguments[0]) ? "test" : Current.SHARED);
    } else if (what.equals("executionFinished")) {
      finished(arguments[0], arguments[1]);
    } else if (what.equals("executionSkipped")) {
      all(arguments[0], "skipped", "setup", "[]");
    }
  }

  /** Its methods after each test are about to be called; whether it has failed before, its context says. */
  static void tearsDown(Object context) throws Exception {
    boolean failed = !(Boolean) Reach.call(Reach.call(context, "getThrowableCollector"), "isEmpty");
    failedIn = failed ? Current.test()[1] : null;
    Current.phase("teardown");
  }

  private static synchronized int entered(int by) { return depth += by; }

  private void finished(Object identifier, Object result) throws Exception {
    String id = id(identifier), status = Reach.call(result, "getStatus").toString();
    Throwable thrown = (Throwable) ((Optional<?>) Reach.call(result, "getThrowable")).orElse(null);
    boolean good = status.equals("SUCCESSFUL"), aborted = status.equals("ABORTED");
    if (!isTest(identifier)) {
      if (!id.isEmpty()) Current.end(id, Current.SHARED);
      if (!good) all(identifier, aborted ? "skipped" : "error", "setup", Chain.of(thrown));
      return;
    }
    String phase = failedIn != null ? failedIn : Current.test()[1];
    failedIn = null;
    boolean inTest = good || phase == null || phase.equals("test");
    result(id, inTest ? "test" : phase,
        good          ? "passed"
            : aborted ? "skipped"
            : inTest  ? "failed"
                      : "error",
        Chain.of(thrown));
    Current.endTest(id);
  }

  /** What never came to run below it is told, too. */
  private void all(Object identifier, String outcome, String phase, String chain) throws Exception {
    int before = told.size();
    for (Object below : (Set<?>) Reach.call(plan, "getDescendants", identifier))
      if (isTest(below) && !told.contains(id(below))) result(id(below), phase, outcome, chain);
    String id = id(identifier);
    if (told.size() == before && id.contains("#") && !told.contains(id)) result(id, phase, outcome, chain);
  }

  private void result(String id, String phase, String outcome, String chain) {
    told.add(id);
    Relaunch.ran(id);
    Events.write(
        new Json("result").put("id", id).put("phase", phase).put("outcome", outcome).put("ms", 0).raw("chain", chain));
  }

  private static boolean isTest(Object identifier) throws Exception {
    return (Boolean) Reach.call(identifier, "isTest");
  }

  private static String id(Object identifier) throws Exception {
    return Executions.named(TestId.of((String) Reach.call(identifier, "getUniqueId")));
  }

  // --- RETRIAL_ONLY

  /** The request, with a filter more. */
  static Object only(Object request) throws Exception {
    Set<String> wanted = Executions.wanted();
    if (wanted == null || request == null) return request;
    ClassLoader loader = request.getClass().getClassLoader();
    Class<?> filter = Class.forName("org.junit.platform.launcher.PostDiscoveryFilter", false, loader);
    Class<?> result = Class.forName("org.junit.platform.engine.FilterResult", false, loader);
    Object ours = Proxy.newProxyInstance(loader, new Class<?>[] {filter}, new InvocationHandler() {
      @Override
      public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        if (method.getName().equals("apply"))
          return Reach.callStatic(result, "includedIf",
              TestId.isWanted(TestId.of(Reach.call(arguments[0], "getUniqueId").toString()), wanted));
        return method.getName().equals("equals")  ? (Object) (proxy == arguments[0])
            : method.getName().equals("hashCode") ? (Object) 1
                                                  : "retrial";
      }
    });
    Class<?> type = Class.forName("org.junit.platform.launcher.LauncherDiscoveryRequest", false, loader);
    return Proxy.newProxyInstance(loader, new Class<?>[] {type}, new InvocationHandler() {
      @Override
      public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        try {
          method.setAccessible(true);
          Object answer = method.invoke(request, arguments);
          if (!method.getName().equals("getPostDiscoveryFilters")) return answer;
          java.util.List<Object> all = new java.util.ArrayList<>((java.util.List<?>) answer);
          all.add(ours);
          return all;
        } catch (InvocationTargetException error) {
          throw error.getCause();
        }
      }
    });
  }
}
