package retrial.agent;

import java.util.concurrent.atomic.AtomicLong;

/** Calls by the object that a client library makes for each, and keeps over the attempts of it that it makes itself. */
final class Calls {
  private Calls() {}

  private static final WeakMap<Origin> known = new WeakMap<>();
  private static final AtomicLong last = new AtomicLong();
  private static final ThreadLocal<Origin> sending = new ThreadLocal<>();

  /** The application has just asked for it, on this thread. */
  static Origin begin(Object call) {
    Origin origin = known.get(call);
    if (origin != null) return origin;
    Origin from = Stack.origin();
    origin = new Origin(from == null ? null : from.site, Events.PID + "-" + last.incrementAndGet());
    known.put(call, origin);
    return origin;
  }

  /** The next request that this thread writes is an attempt of it. */
  static void send(Object call) { sending.set(call == null ? null : begin(call)); }

  /** Of the request that this thread writes; null where nobody has said. */
  static Origin take() {
    Origin origin = sending.get();
    if (origin != null) sending.remove();
    return origin;
  }
}
