package retrial.agent;

import java.util.Iterator;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.function.Function;
import java.util.stream.Stream;

/** The stack of this thread, from the inside out: its first frame of the application is the call site. */
final class Stack {
  private Stack() {}

  private static final StackWalker walker = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  /**
   * Whether the chain ends in this thread: at a test, or because it is long. A worker that helps with another task
   * while it waits is within both: below the inner one stands nobody who has called it.
   */
  private static final class Walk implements Function<Stream<StackWalker.StackFrame>, Boolean> {
    final Frames frames = new Frames();
    private final boolean isWorker = Thread.currentThread() instanceof ForkJoinWorkerThread;

    @Override
    public Boolean apply(Stream<StackWalker.StackFrame> all) {
      for (Iterator<StackWalker.StackFrame> left = all.iterator(); left.hasNext();) {
        StackWalker.StackFrame frame = left.next();
        Class<?> declaring = frame.getDeclaringClass();
        if (isWorker && declaring == ForkJoinTask.class && frame.getMethodName().equals("doExec")) return false;
        Sources.Of of = Sources.of(declaring);
        if (of.isApplication && !frames.add(of.frame(frame))) return true;
      }
      return false;
    }
  }

  /** Of what this thread does now; null where it cannot be told. */
  static Origin origin() {
    Walk walk = new Walk();
    boolean ended = walker.walk(walk);
    if (walk.frames.isEmpty()) return Carry.here();
    Origin before = ended ? null : Carry.here();
    if (before != null) walk.frames.addAll(before.chain);
    return new Origin(walk.frames.all(), null, null);
  }

  /** What `sender` writes now: the innermost frame of the application is in `innermost`, or null. */
  static final class Sending implements Function<Stream<StackWalker.StackFrame>, Boolean> {
    private final Class<?> sender;
    Frame innermost;

    Sending(Class<?> sender) { this.sender = sender; }

    /** Whether a method of its class, or of one that it is derived from, goes on in this thread. */
    boolean goesOn() { return walker.walk(this); }

    @Override
    public Boolean apply(Stream<StackWalker.StackFrame> all) {
      boolean found = false;
      for (Iterator<StackWalker.StackFrame> left = all.iterator(); left.hasNext();) {
        StackWalker.StackFrame frame = left.next();
        Class<?> declaring = frame.getDeclaringClass();
        found |= declaring != Object.class && declaring.isAssignableFrom(sender);
        Sources.Of of = Sources.of(declaring);
        if (of.isApplication && innermost == null) innermost = of.frame(frame);
        if (found && innermost != null) return true;
      }
      return found;
    }
  }
}
