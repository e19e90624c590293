package retrial.agent;

import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Collections;
import java.util.Map;
import javax.net.ssl.SSLEngine;

/** java.net.http.HttpClient: its calls begin in the application's thread, and are sent in its own. */
final class JdkClient {
  private JdkClient() {}

  private static final WeakMap<Boolean> ours = new WeakMap<>(); // by connection

  static void http1(Object request) throws Exception {
    tag(Reach.field(request, "connection"), Reach.field(request, "systemHeadersBuilder"),
        Reach.field(request, "http1Exchange"));
  }

  static void http2(Object stream) throws Exception {
    Object connection = Reach.field(Reach.field(stream, "connection"), "connection");
    tag(connection, Reach.call(Reach.field(stream, "request"), "getSystemHeadersBuilder"), stream);
  }

  @SuppressWarnings("unchecked")
  private static void tag(Object connection, Object builder, Object exchangeImpl) throws Exception {
    Map<String, Object> headers = (Map<String, Object>) Reach.call(builder, "map");
    for (String name : Tag.NAMES) headers.remove(name); // of an attempt over another connection
    Object multi = Reach.field(Reach.field(exchangeImpl, "exchange"), "multi");
    if (!isOurs(connection)) return;
    Object user = Reach.call(Reach.field(multi, "userRequest"), "headers");
    if (((Map<String, Object>) Reach.call(user, "map")).containsKey("x-retrial-site")) return;
    for (Map.Entry<String, String> e : Tag.of(Calls.begin(multi).by(Library.of(multi.getClass()))).entrySet())
      headers.put(e.getKey(), Collections.singletonList(e.getValue()));
  }

  private static boolean isOurs(Object connection) throws Exception {
    Boolean known = ours.get(connection);
    if (known == null) ours.put(connection, known = ask(connection));
    return known;
  }

  private static boolean ask(Object connection) throws Exception {
    if (Boolean.TRUE.equals(Reach.call(connection, "isSecure")))
      return Peer.isOurs(((SSLEngine) Reach.call(connection, "getEngine")).getSession());
    return Peer.isNear((InetSocketAddress) ((SocketChannel) Reach.call(connection, "channel")).getRemoteAddress());
  }
}
