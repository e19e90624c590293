package retrial.start;

import java.io.InputStream;
import java.lang.reflect.Array;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs the tests in $RETRIAL_ONLY by the runner's own means, as Surefire did: RUNNER PROPERTIES. What fails is told by
 * the agent, and by status 1.
 */
public final class Tests {
  private Tests() {}

  public static void main(String[] arguments) throws Exception {
    Properties properties = new Properties();
    try (InputStream in = Files.newInputStream(Path.of(arguments[1]))) {
      properties.load(in);
    }
    for (String name : properties.stringPropertyNames())
      if (System.getProperty(name) == null) System.setProperty(name, properties.getProperty(name));
    // What is to be executed again comes after all that comes first: a runner takes no test twice.
    Map<Integer, List<String>> executions = new TreeMap<>();
    for (String line : Files.readAllLines(Path.of(System.getenv("RETRIAL_ONLY")))) {
      Matcher again = Pattern.compile("(.*) \\[again (\\d+)]").matcher(line);
      boolean isAgain = again.matches();
      executions.computeIfAbsent(isAgain ? Integer.parseInt(again.group(2)) : 1, n -> new ArrayList<>())
          .add(isAgain ? again.group(1) : line);
    }
    boolean good = true;
    for (Map.Entry<Integer, List<String>> one : executions.entrySet()) {
      System.setProperty("retrial.execution", one.getKey().toString()); // as the agent names them
      good &= run(arguments[0], one.getValue());
    }
    System.exit(good ? 0 : 1); // whatever threads are left
  }

  private static boolean run(String runner, List<String> ids) throws Exception {
    Set<Class<?>> classes = new LinkedHashSet<>();
    for (String id : ids)
      if (id.contains("#")) {
        Class<?> type = find(id.substring(0, id.indexOf('#')));
        if (type != null) classes.add(type);
      }
    return runner.equals("junit") ? platform(classes) : runner.equals("junit4") ? junit4(ids) : testng(classes);
  }

  /** Another module's are not here. */
  private static Class<?> find(String name) {
    try {
      return Class.forName(name, false, ClassLoader.getSystemClassLoader());
    } catch (ClassNotFoundException error) {
      return null;
    }
  }

  private static boolean platform(Set<Class<?>> classes) throws Exception {
    Class<?> builder = Class.forName("org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder");
    Class<?> request = Class.forName("org.junit.platform.launcher.LauncherDiscoveryRequest");
    Class<?> listener = Class.forName("org.junit.platform.launcher.TestExecutionListener");
    Class<?> selectors = Class.forName("org.junit.platform.engine.discovery.DiscoverySelectors");
    List<Object> selected = new ArrayList<>();
    for (Class<?> type : classes) selected.add(selectors.getMethod("selectClass", Class.class).invoke(null, type));
    Object building = builder.getMethod("request").invoke(null);
    builder.getMethod("selectors", List.class).invoke(building, selected);
    Class<?> summary = Class.forName("org.junit.platform.launcher.listeners.SummaryGeneratingListener");
    Object listening = summary.getConstructor().newInstance(), listeners = Array.newInstance(listener, 1);
    Array.set(listeners, 0, listening);
    Object launcher =
        Class.forName("org.junit.platform.launcher.core.LauncherFactory").getMethod("create").invoke(null);
    Class.forName("org.junit.platform.launcher.Launcher")
        .getMethod("execute", request, listeners.getClass())
        .invoke(launcher, builder.getMethod("build").invoke(building), listeners);
    Object sum = summary.getMethod("getSummary").invoke(listening);
    java.io.PrintWriter out = new java.io.PrintWriter(System.err, true);
    Class.forName("org.junit.platform.launcher.listeners.TestExecutionSummary")
        .getMethod("printFailuresTo", java.io.PrintWriter.class)
        .invoke(sum, out);
    return (Long) Class.forName("org.junit.platform.launcher.listeners.TestExecutionSummary")
               .getMethod("getTotalFailureCount")
               .invoke(sum)
        == 0;
  }

  /** One after another: leaving some out would take a class of JUnit's own to derive from. */
  private static boolean junit4(List<String> ids) throws Exception {
    Class<?> request = Class.forName("org.junit.runner.Request"), core = Class.forName("org.junit.runner.JUnitCore");
    boolean good = true;
    for (String id : ids) {
      Class<?> type = id.contains("#") ? find(id.substring(0, id.indexOf('#'))) : null;
      if (type == null) continue;
      Object one =
          request.getMethod("method", Class.class, String.class).invoke(null, type, id.substring(id.indexOf('#') + 1));
      Object result = core.getMethod("run", request).invoke(core.getConstructor().newInstance(), one);
      for (Object failure : (List<?>) result.getClass().getMethod("getFailures").invoke(result))
        System.err.println(failure.getClass().getMethod("getTrace").invoke(failure));
      good &= (Boolean) result.getClass().getMethod("wasSuccessful").invoke(result);
    }
    return good;
  }

  private static boolean testng(Set<Class<?>> classes) throws Exception {
    Class<?> type = Class.forName("org.testng.TestNG");
    Object runner = type.getConstructor(boolean.class).newInstance(false);
    type.getMethod("setTestClasses", Class[].class).invoke(runner, (Object) classes.toArray(new Class<?>[0]));
    type.getMethod("run").invoke(runner);
    return !(Boolean) type.getMethod("hasFailure").invoke(runner);
  }
}
