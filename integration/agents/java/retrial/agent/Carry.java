package retrial.agent;

import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.ForkJoinWorkerThread;

/**
 * Work that is handed to another thread: whoever hands it over is where its requests come from, unless the application
 * goes on there.
 */
final class Carry {
  private Carry() {}

  private static final WeakMap<Origin> origins = new WeakMap<>(); // by task, and by thread that was started
  private static final ThreadLocal<Origin> taken = new ThreadLocal<>();

  static void handOver(Object task) {
    // The steps of a call of java.net.http are its own: where it comes from is known since it began.
    if (task == null || task.getClass().getName().startsWith("jdk.internal.net.http.")) return;
    Origin origin = Stack.origin();
    if (origin != null || origins.get(task) != null) origins.put(task, origin == null ? Origin.NONE : origin);
  }

  /** This thread goes on with this: a pool has given it `task`, or `self` begins. */
  static void takeOver(Object self, Object task) {
    // Who helps with a task that it waits for has its own callers below.
    if (task == null && self instanceof ForkJoinTask && !(Thread.currentThread() instanceof ForkJoinWorkerThread))
      return;
    if (task == null) task = self;
    Origin origin = origins.get(task);
    if (origin != null || taken.get() != null) taken.set(origin == null ? Origin.NONE : origin);
  }

  /** Of what this thread does now, as far as it was handed to it; else null. */
  static Origin here() {
    Origin origin = taken.get();
    if (origin == null) origin = origins.get(Thread.currentThread());
    return origin == Origin.NONE ? null : origin;
  }
}
