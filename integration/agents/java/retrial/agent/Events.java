package retrial.agent;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;

/** Events: one JSON object a line, appended to $RETRIAL_EVENTS by one O_APPEND write (docs/agents.md). Any thread. */
final class Events {
  private Events() {}

  static final long PID = ProcessHandle.current().pid();
  private static final Path FILE = Path.of(System.getenv("RETRIAL_EVENTS"));
  private static final AtomicBoolean announced = new AtomicBoolean(), failed = new AtomicBoolean();
  private static volatile String runner;

  /** Returns when the line is in the file. An error is swallowed: nobody could hear it. */
  static void write(Json event) {
    byte[] line = (event.put("pid", PID) + "\n").getBytes(StandardCharsets.US_ASCII);
    try (FileChannel file =
             FileChannel.open(FILE, StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      file.write(ByteBuffer.wrap(line));
    } catch (Exception error) {
      // as said above
    }
  }

  /** The `agent` event, once a process: at its first request. */
  static void announce() {
    if (!announced.getAndSet(true)) write(agent());
  }

  static boolean isAnnounced() { return announced.get(); }

  /** The same for a runner: true for the hook that may report, which is the first in a process. */
  static synchronized boolean claim(String name) {
    if (runner == null) {
      runner = name;
      announced.set(true);
      write(agent().put("runner", name));
      Relaunch.note(name);
    }
    return runner.equals(name);
  }

  /** Says, once a process, that a part of the agent failed. */
  static void failed(String part, Throwable error) {
    if (failed.getAndSet(true)) return;
    write(agent().put("error", Json.cut(part + ": " + error, 1000)));
  }

  private static Json agent() {
    return new Json("agent").put("language", "java").put("version", System.getProperty("java.version"));
  }
}
