package retrial.agent;

import java.net.SocketAddress;
import java.util.Map;
import javax.net.ssl.SSLSession;

/**
 * grpc-java: the tag is metadata, added below interceptors as a call starts, and taken out again of a stream to
 * somebody else.
 */
final class Grpc {
  private Grpc() {}

  static void start(Object call, Object metadata) throws Exception {
    for (Map.Entry<String, String> e : Tag.of(Calls.begin(metadata).by(Library.of(call.getClass()))).entrySet()) {
      Object key = key(metadata, e.getKey());
      Reach.call(metadata, "discardAll", key);
      put(metadata, key, e.getValue());
    }
  }

  static void send(Object sink, Object metadata) throws Exception {
    if (isOurs(Reach.field(sink, "this$0"))) return;
    for (String name : Tag.NAMES) Reach.call(metadata, "discardAll", key(metadata, name));
  }

  private static boolean isOurs(Object stream) throws Exception {
    Object attributes = Reach.call(stream, "getAttributes");
    Object keys = Class.forName("io.grpc.Grpc", true, stream.getClass().getClassLoader());
    SSLSession session =
        (SSLSession) Reach.call(attributes, "get", ((Class<?>) keys).getField("TRANSPORT_ATTR_SSL_SESSION").get(null));
    if (session != null) return Peer.isOurs(session);
    return Peer.isNear((SocketAddress) Reach.call(
        attributes, "get", ((Class<?>) keys).getField("TRANSPORT_ATTR_REMOTE_ADDR").get(null)));
  }

  private static Object key(Object metadata, String name) throws Exception {
    Class<?> type = metadata.getClass();
    Class<?> key = Class.forName("io.grpc.Metadata$Key", true, type.getClassLoader());
    Object ascii = type.getField("ASCII_STRING_MARSHALLER").get(null);
    return key
        .getMethod("of", String.class, Class.forName("io.grpc.Metadata$AsciiMarshaller", true, type.getClassLoader()))
        .invoke(null, name, ascii);
  }

  private static void put(Object metadata, Object key, String value) throws Exception {
    Reach.call(metadata, "put", key, value);
  }
}
