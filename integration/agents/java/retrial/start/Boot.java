package retrial.start;

import java.io.File;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Gives our classes to the boot loader, whose own are to call them. */
public final class Boot {
  private Boot() {}

  public static void start(Instrumentation instrumentation) throws Exception {
    try (JarFile jar = new JarFile(new File(Boot.class.getProtectionDomain().getCodeSource().getLocation().toURI()))) {
      try {
        define(jar, instrumentation);
      } catch (ReflectiveOperationException | LinkageError error) {
        // The documented way. For it a JVM gives up what it has archived of its application's classes, and says so on
        // its output.
        instrumentation.appendToBootstrapClassLoaderSearch(jar);
      }
      Class.forName("retrial.agent.Agent", true, null)
          .getMethod("start", Instrumentation.class)
          .invoke(null, instrumentation);
    }
  }

  private static void define(JarFile jar, Instrumentation instrumentation) throws Exception {
    Map<String, Set<Module>> exports = new HashMap<>();
    exports.put("jdk.internal.misc", Collections.singleton(Boot.class.getModule()));
    instrumentation.redefineModule(
        Object.class.getModule(), new HashSet<>(), exports, new HashMap<>(), new HashSet<>(), new HashMap<>());
    Class<?> type = Class.forName("jdk.internal.misc.Unsafe");
    Object unsafe = type.getMethod("getUnsafe").invoke(null);
    java.lang.reflect.Method define = type.getMethod("defineClass", String.class, byte[].class, int.class, int.class,
        ClassLoader.class, java.security.ProtectionDomain.class);
    for (Enumeration<JarEntry> all = jar.entries(); all.hasMoreElements();) {
      JarEntry entry = all.nextElement();
      String name = entry.getName();
      if (!name.startsWith("retrial/agent/") || !name.endsWith(".class")) continue;
      try (InputStream in = jar.getInputStream(entry)) {
        byte[] file = in.readAllBytes();
        define.invoke(unsafe, name.substring(0, name.length() - 6).replace('/', '.'), file, 0, file.length, null, null);
      }
    }
  }
}
