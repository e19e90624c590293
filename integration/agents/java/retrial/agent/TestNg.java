package retrial.agent;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** TestNG: a listener of each invoked method, and one that leaves methods out, both made as proxies. */
final class TestNg implements InvocationHandler {
  private static final WeakMap<Boolean> joined = new WeakMap<>();

  private TestNg() {}

  static synchronized void join(Object runner) throws Exception {
    if (joined.get(runner) != null) return;
    joined.put(runner, true);
    if (!Events.claim("testng")) return;
    ClassLoader loader = runner.getClass().getClassLoader();
    List<Class<?>> types = new ArrayList<>();
    types.add(Class.forName("org.testng.IInvokedMethodListener", false, loader));
    types.add(Class.forName("org.testng.ITestListener", false, loader));
    if (Executions.wanted() != null) types.add(Class.forName("org.testng.IMethodInterceptor", false, loader));
    Object listener = Proxy.newProxyInstance(loader, types.toArray(new Class<?>[0]), new TestNg());
    runner.getClass()
        .getMethod("addListener", Class.forName("org.testng.ITestNGListener", false, loader))
        .invoke(runner, listener);
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) {
    try {
      switch (method.getName()) {
        case "hashCode": return System.identityHashCode(proxy);
        case "equals": return proxy == arguments[0];
        case "toString": return "retrial";
        case "isEnabled": return true;
        case "intercept": return intercept((List<?>) arguments[0]);
        case "beforeInvocation":
          if (arguments.length == 2) Current.start(id(arguments[1]), phase(arguments[0]));
          break;
        case "afterInvocation":
          if (arguments.length == 2) Current.end(id(arguments[1]), phase(arguments[0]));
          break;
        case "onTestSuccess":
        case "onTestFailedButWithinSuccessPercentage": result(arguments[0], "passed"); break;
        case "onTestFailure":
        case "onTestFailedWithTimeout": result(arguments[0], "failed"); break;
        case "onTestSkipped": result(arguments[0], "skipped"); break;
        default:
      }
    } catch (Throwable error) {
      Events.failed("TestNG", error);
    }
    return method.getName().equals("intercept") ? arguments[0] : null;
  }

  private static List<Object> intercept(List<?> methods) throws Exception {
    Set<String> wanted = Executions.wanted();
    List<Object> some = new ArrayList<>();
    for (Object one : methods)
      if (TestId.isWanted(name(Reach.call(one, "getMethod")), wanted)) some.add(one);
    return some;
  }

  private static String phase(Object method) throws Exception {
    return (Boolean) Reach.call(method, "isTestMethod") ? "test" : Current.SHARED;
  }

  private static String id(Object result) throws Exception {
    Object method = Reach.call(result, "getMethod");
    Object[] parameters = (Object[]) Reach.call(result, "getParameters");
    boolean many = (Boolean) Reach.call(method, "isTest") && parameters != null && parameters.length > 0;
    return Executions.named(
        name(method) + (many ? "[" + Reach.call(method, "getParameterInvocationCount") + "]" : ""));
  }

  private static String name(Object method) throws Exception {
    return ((Class<?>) Reach.call(method, "getRealClass")).getName() + "#" + Reach.call(method, "getMethodName");
  }

  private static void result(Object result, String outcome) throws Exception {
    Relaunch.ran(id(result));
    String chain = Chain.of((Throwable) Reach.call(result, "getThrowable"));
    long ms = (Long) Reach.call(result, "getEndMillis") - (Long) Reach.call(result, "getStartMillis");
    Events.write(new Json("result")
            .put("id", id(result))
            .put("phase", "test")
            .put("outcome", outcome)
            .put("ms", ms)
            .raw("chain", chain));
  }
}
