package retrial.agent;

import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.function.Function;
import java.util.stream.Stream;

/** The stack of this thread, from the inside out: its first frame of the application is the call site. */
final class Stack {
  private Stack() {}

  private static final StackWalker walker = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  /** What calls the test's own methods; who is called there before, goes around them. */
  private static final Set<String> RUNNERS = Set.of("org.junit.platform.commons.util.ReflectionUtils",
      "org.junit.runners.model.FrameworkMethod$1", "junit.framework.TestCase",
      "org.testng.internal.MethodInvocationHelper", "org.testng.internal.invokers.MethodInvocationHelper");

  /**
   * Whether the chain ends in this thread: at a test, or because it is long. A worker that helps with another task
   * while it waits is within both: below the inner one stands nobody who has called it.
   */
  private static final class Walk implements Function<Stream<StackWalker.StackFrame>, Boolean> {
    final Frames frames = new Frames();
    Frame statement; // of the test: the outermost of its own that its runner has called
    private final boolean inTest = Current.test()[0] != null;
    private final boolean isWorker = Thread.currentThread() instanceof ForkJoinWorkerThread;

    @Override
    public Boolean apply(Stream<StackWalker.StackFrame> all) {
      boolean ended = false;
      for (Iterator<StackWalker.StackFrame> left = all.iterator(); left.hasNext() && (inTest || !ended);) {
        StackWalker.StackFrame frame = left.next();
        Class<?> declaring = frame.getDeclaringClass();
        if (isWorker && declaring == ForkJoinTask.class && frame.getMethodName().equals("doExec")) break;
        if (statement != null && RUNNERS.contains(declaring.getName())) break;
        Sources.Of of = Sources.of(declaring);
        if (!of.isApplication) continue;
        Frame at = of.frame(frame);
        ended = ended || !frames.add(at);
        if (inTest && at.isTest) statement = at;
      }
      return ended;
    }
  }

  /** Of what this thread does now; null where it cannot be told. */
  static Origin origin() {
    Walk walk = new Walk();
    boolean ended = walker.walk(walk);
    if (walk.frames.isEmpty()) return Carry.here();
    Origin before = ended && (walk.statement != null || !walk.inTest) ? null : Carry.here();
    if (before == null) before = Origin.NONE;
    if (!ended) walk.frames.addAll(before.chain);
    return new Origin(walk.frames.all(), walk.statement != null ? walk.statement : before.statement, null, null);
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
