package retrial.agent;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicLong;

/** Calls by the object that a client library makes for each, and keeps over the attempts of it that it makes itself. */
final class Calls {
  private Calls() {}

  private static final WeakMap<Origin> known = new WeakMap<>();
  private static final AtomicLong last = new AtomicLong();
  private static final ThreadLocal<Sending> sending = new ThreadLocal<>();

  private static final class Sending {
    final Origin origin;
    final WeakReference<Class<?>> sender;

    Sending(Origin origin, Class<?> sender) {
      this.origin = origin;
      this.sender = new WeakReference<>(sender);
    }
  }

  /** The application has just asked for it, on this thread. */
  static Origin begin(Object call) {
    Origin origin = known.get(call);
    if (origin != null) return origin;
    Origin from = Stack.origin();
    if (from == null) from = Origin.NONE;
    origin = new Origin(from.chain, from.statement, Events.PID + "-" + last.incrementAndGet(), null);
    known.put(call, origin);
    return origin;
  }

  /** The next request that this thread writes, as long as a method of `sender` goes on, is an attempt of it. */
  static void send(Object sender, Object call) {
    if (call != null) sending.set(new Sending(begin(call), sender.getClass()));
  }

  /** Of the request that this thread writes; null where nobody has said. */
  static Origin take() {
    Sending said = sending.get();
    if (said == null) return null;
    sending.remove();
    Class<?> sender = said.sender.get();
    if (sender == null) return null;
    Stack.Sending now = new Stack.Sending(sender);
    if (!now.goesOn()) return null; // that one was never written
    // Where an interceptor of the application passes it on, either may be who sends it again.
    boolean isPassedOn =
        now.innermost != null && said.origin.hasSite() && !now.innermost.isSameFunction(said.origin.chain[0]);
    return isPassedOn ? said.origin : said.origin.by(Library.of(sender));
  }
}
