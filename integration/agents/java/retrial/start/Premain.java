package retrial.start;

import java.lang.instrument.Instrumentation;

/**
 * Where a JVM enters the agent: -javaagent:retrial-agent.jar. Compiled for Java 8, so that an older JVM is not ended by
 * it; all else wants Java 11. Inert without RETRIAL_EVENTS.
 */
public final class Premain {
  private Premain() {}

  public static void premain(String options, Instrumentation instrumentation) {
    try {
      String events = System.getenv("RETRIAL_EVENTS");
      if (events == null || events.isEmpty() || System.getProperty("java.specification.version").startsWith("1."))
        return;
      Class.forName("retrial.start.Boot").getMethod("start", Instrumentation.class).invoke(null, instrumentation);
    } catch (Throwable error) {
      // An agent never fails the program it is in.
    }
  }
}
