package retrial.agent;

import java.io.InputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;

/**
 * Who reads what a connection carries: a tag is sent only where Retrial's proxy takes it out again. TLS: the peer has
 * shown a certificate of Retrial's own authority. Clear text: the peer's address is loopback or private.
 */
final class Peer {
  private Peer() {}

  private static List<byte[]> authorities; // their keys' identifiers

  /** Of a stream whose write() is edited; the socket knows the stream, so that nothing keeps either. */
  static java.lang.ref.WeakReference<Object> socketOf(Object stream) throws ReflectiveOperationException {
    String type = stream.getClass().getName();
    String field = type.equals("java.net.Socket$SocketOutputStream") ? "parent"
        : type.equals("java.net.SocketOutputStream")                 ? "socket"
                                                                     : "this$0";
    Object socket;
    try {
      socket = Reach.field(stream, field);
    } catch (NoSuchFieldException error) {
      socket = Reach.field(stream, "this$0");
    }
    return new java.lang.ref.WeakReference<>(socket);
  }

  static boolean isOurs(Object socket) throws ReflectiveOperationException {
    if (!(socket instanceof Socket)) return false;
    if (socket instanceof SSLSocket) {
      // Asked for by getSession() it would be negotiated now, and what fails of it told otherwise.
      Object context = Reach.field(socket, "conContext");
      return Boolean.TRUE.equals(Reach.field(context, "isNegotiated"))
          && isOurs((SSLSession) Reach.field(context, "conSession"));
    }
    return isNear(((Socket) socket).getRemoteSocketAddress());
  }

  static boolean isOurs(SSLSession session) {
    try {
      Certificate[] shown = session.getPeerCertificates();
      if (shown.length == 0 || !(shown[0] instanceof X509Certificate)) return false;
      byte[] issuer =
          ((X509Certificate) shown[0]).getExtensionValue("2.5.29.35"); // authority key identifier, RFC 5280 4.2.1.1
      for (byte[] key : authorities())
        if (issuer != null && contains(issuer, key)) return true;
    } catch (javax.net.ssl.SSLPeerUnverifiedException error) {
      // it has shown none
    }
    return false;
  }

  /** True for a loopback or private address, as the proxy has it (link-local is neither). */
  static boolean isNear(SocketAddress address) {
    InetAddress ip = address instanceof InetSocketAddress ? ((InetSocketAddress) address).getAddress() : null;
    if (ip == null) return false;
    if (ip.isLoopbackAddress()) return true;
    if (ip instanceof Inet4Address) return ip.isSiteLocalAddress();
    return (ip.getAddress()[0] & 0xFE) == 0xFC;
  }

  private static boolean contains(byte[] all, byte[] part) {
    for (int i = 0; i + part.length <= all.length; i++)
      if (java.util.Arrays.equals(all, i, i + part.length, part, 0, part.length)) return true;
    return false;
  }

  private static synchronized List<byte[]> authorities() {
    if (authorities != null) return authorities;
    authorities = Collections.emptyList();
    String file = System.getenv("RETRIAL_CA");
    if (file == null || file.isEmpty()) return authorities;
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      Collection<? extends Certificate> all = CertificateFactory.getInstance("X.509").generateCertificates(in);
      List<byte[]> keys = new ArrayList<>();
      for (Certificate one : all) {
        byte[] key = ((X509Certificate) one)
                         .getExtensionValue("2.5.29.14"); // subject key identifier, 4.2.1.2: 20 bytes in two wrappings
        if (key != null && key.length == 24) keys.add(java.util.Arrays.copyOfRange(key, 4, 24));
      }
      authorities = keys;
    } catch (Exception error) {
      Events.failed("RETRIAL_CA", error);
    }
    return authorities;
  }
}
