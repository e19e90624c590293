package retrial.agent;

import java.util.Iterator;
import java.util.function.Function;
import java.util.stream.Stream;

/** The stack of this thread: its first frame of the application, from the inside out, is the call site. */
final class Stack {
  private Stack() {}

  private static final StackWalker walker = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private static final Function<Stream<StackWalker.StackFrame>, String> innermost = new Function<>() {
    @Override
    public String apply(Stream<StackWalker.StackFrame> frames) {
      for (Iterator<StackWalker.StackFrame> all = frames.iterator(); all.hasNext();) {
        StackWalker.StackFrame frame = all.next();
        Sources.Of of = Sources.of(frame.getDeclaringClass());
        if (of.isApplication) return of.site(frame.getFileName(), frame.getLineNumber(), frame.getMethodName());
      }
      return null;
    }
  };

  /** Of what this thread does now; null where it cannot be told. */
  static Origin origin() {
    String site = walker.walk(innermost);
    return site == null ? Carry.here() : new Origin(site, null);
  }

  /** Whether a method of this class, or of one that it is derived from, goes on in this thread. */
  static boolean isWithin(Class<?> type) {
    return walker.walk(new Function<Stream<StackWalker.StackFrame>, Boolean>() {
      @Override
      public Boolean apply(Stream<StackWalker.StackFrame> frames) {
        for (Iterator<StackWalker.StackFrame> all = frames.iterator(); all.hasNext();) {
          Class<?> declaring = all.next().getDeclaringClass();
          if (declaring != Object.class && declaring.isAssignableFrom(type)) return true;
        }
        return false;
      }
    });
  }
}
