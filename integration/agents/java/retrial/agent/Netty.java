package retrial.agent;

import java.net.SocketAddress;
import javax.net.ssl.SSLEngine;

/**
 * Netty's HTTP/1: a request is handed to the channel's thread, and encoded there. There is no call id: what it is an
 * attempt of nobody says.
 */
final class Netty {
  private Netty() {}

  private static final class Encoding {
    Object context, request;
  }

  private static final WeakMap<Origin> origins = new WeakMap<>(); // by request
  private static final ThreadLocal<Encoding> encoding = new ThreadLocal<>() {
    @Override
    protected Encoding initialValue() {
      return new Encoding();
    }
  };
  private static final ClassValue<Boolean> requests = new ClassValue<>() {
    @Override
    protected Boolean computeValue(Class<?> type) {
      for (Class<?> c = type; c != null; c = c.getSuperclass())
        for (Class<?> i : c.getInterfaces())
          if (i.getName().endsWith("io.netty.handler.codec.http.HttpRequest") || get(i)) return true;
      return false;
    }
  };

  static void write(Object message) {
    if (message == null || !requests.get(message.getClass())) return;
    Origin origin = Stack.origin();
    if (origin != null) origins.put(message, origin);
  }

  static void encode(Object context, Object message) {
    Encoding now = encoding.get();
    boolean isRequest = message != null && requests.get(message.getClass());
    now.context = isRequest ? context : null;
    now.request = isRequest ? message : null;
  }

  /** Behind the first line stands nothing yet. */
  static void headers(Object buffer) throws Exception {
    Encoding now = encoding.get();
    Object context = now.context, request = now.request;
    now.context = now.request = null;
    if (context == null || !isOurs(Reach.call(context, "channel"))) return;
    if (Boolean.TRUE.equals(Reach.call(Reach.call(request, "headers"), "contains", "x-retrial-site"))) return;
    Origin origin = origins.get(request);
    byte[] lines = Tag.lines(origin != null ? origin : Stack.origin());
    Reach.call(buffer, "writeBytes", lines);
  }

  private static boolean isOurs(Object channel) throws Exception {
    Object pipeline = Reach.call(channel, "pipeline");
    for (Object handler : ((java.util.Map<?, ?>) Reach.call(pipeline, "toMap")).values())
      if (handler.getClass().getName().endsWith("io.netty.handler.ssl.SslHandler"))
        return Peer.isOurs(((SSLEngine) Reach.call(handler, "engine")).getSession());
    return Peer.isNear((SocketAddress) Reach.call(channel, "remoteAddress"));
  }
}
