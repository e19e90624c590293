package retrial.agent;

import java.util.ArrayList;
import java.util.List;

/** The test that is running, as the runner's hook knows it, and the phase it is in. Any thread. */
final class Current {
  private Current() {}

  static final String SHARED = "shared";
  private static volatile String restBefore = System.getenv("RETRIAL_REST_BEFORE"); // a test
  private static final List<String[]> open = new ArrayList<>(); // id and phase, innermost last

  static void start(String id, String phase) {
    if (id.equals(restBefore)) rest();
    begin(id, phase);
  }

  private static synchronized void begin(String id, String phase) {
    open.add(new String[] {id, phase});
    Events.write(staged("start", id, phase));
  }

  private static void rest() {
    restBefore = null;
    try {
      Thread.sleep((long) (1000 * Double.parseDouble(System.getenv("RETRIAL_REST"))));
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }

  static synchronized void end(String id, String phase) {
    for (int i = open.size() - 1; i >= 0; i--) {
      if (!open.get(i)[0].equals(id) || !open.get(i)[1].equals(phase)) continue;
      open.remove(i);
      Events.write(staged("end", id, phase));
      return;
    }
  }

  /** The running test goes on to its next phase. */
  static synchronized void phase(String phase) {
    String[] now = test();
    if (now[0] == null || now[1].equals(phase)) return;
    end(now[0], now[1]);
    start(now[0], phase);
  }

  /** Whatever phase it is in. */
  static synchronized void endTest(String id) {
    for (int i = open.size() - 1; i >= 0; i--)
      if (open.get(i)[0].equals(id)) {
        end(id, open.get(i)[1]);
        return;
      }
  }

  /** Id and phase for the tag. Shared set-up belongs to no single test: its id is left out. */
  static synchronized String[] test() {
    if (open.isEmpty()) return new String[2];
    String[] last = open.get(open.size() - 1);
    return new String[] {last[1].equals(SHARED) ? null : last[0], last[1]};
  }

  private static Json staged(String event, String id, String phase) {
    return new Json(event)
        .put("id", id)
        .put("phase", phase)
        .raw("at", Double.toString(System.nanoTime() / 100_000 / 10.0));
  }
}
