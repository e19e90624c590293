package retrial.agent;

import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Installs the hooks, once a process: most wait until the class that they change is loaded. */
public final class Agent {
  private Agent() {}

  private static final String[][] OPENED = {{"java.base", "sun.security.ssl", "java.net"},
      {"java.net.http", "jdk.internal.net.http", "jdk.internal.net.http.common"}};

  public static void start(Instrumentation instrumentation) {
    try {
      for (String[] opened : OPENED) open(instrumentation, opened);
      Map<String, List<Edit>> edits = Rules.byType();
      if ("1".equals(System.getenv("RETRIAL_NO_TIME_LIMIT"))
          && System.getProperty("junit.jupiter.execution.timeout.mode") == null)
        System.setProperty("junit.jupiter.execution.timeout.mode", "disabled");
      if ("1".equals(System.getenv("RETRIAL_SERIAL")))
        System.setProperty("junit.jupiter.execution.parallel.enabled", "false");
      // Maven's own JVM: Surefire empties the folder of what it keeps while it runs, and another run's would be gone
      // with it.
      if (System.getProperty("classworlds.conf") != null && System.getProperty("tempDir") == null)
        System.setProperty("tempDir", "surefire-" + Events.PID);
      // Those that are there before we are: of what we have edited ourselves no method could be taken back.
      List<Class<?>> loaded = new ArrayList<>();
      for (Class<?> c : instrumentation.getAllLoadedClasses())
        if (edits.containsKey(c.getName().replace('.', '/'))) loaded.add(c);
      instrumentation.addTransformer(new Transformer(edits), true);
      if (!loaded.isEmpty()) instrumentation.retransformClasses(loaded.toArray(new Class<?>[0]));
    } catch (Throwable error) {
      Events.failed("start", error);
    }
  }

  /** Lets us see its fields; what calls a hook of ours can see us already. */
  private static void open(Instrumentation instrumentation, String[] moduleAndPackages) {
    Module module = ModuleLayer.boot().findModule(moduleAndPackages[0]).orElse(null);
    if (module == null) return;
    Set<Module> us = Collections.singleton(Agent.class.getModule());
    Map<String, Set<Module>> opens = new HashMap<>();
    for (int i = 1; i < moduleAndPackages.length; i++)
      if (module.getPackages().contains(moduleAndPackages[i])) opens.put(moduleAndPackages[i], us);
    instrumentation.redefineModule(module, new HashSet<>(), new HashMap<>(), opens, new HashSet<>(), new HashMap<>());
  }
}
