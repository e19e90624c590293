package retrial.agent;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * What one blocking connection has written so far, as far as it is HTTP/1 (RFC 9112): where requests begin is read from
 * their framing, never guessed, and behind each first line the tag is put. What does not begin as a request (a server's
 * side, a database, TLS below its own stream, HTTP/2) is let alone from then on.
 */
final class Outgoing {
  private enum State { START, LINE, HEAD, BODY, SIZE, CHUNK, CHUNK_END, TRAILER, OFF }

  private static final int LONGEST = 65536;
  private static final WeakMap<Outgoing> all = new WeakMap<>();

  private final java.lang.ref.WeakReference<Object> socket;
  private final StringBuilder line = new StringBuilder();
  private State state = State.START;
  private long left; // of a body or a chunk
  private long length;
  private boolean chunked, last;
  private Boolean ours;

  private Outgoing(Object stream) throws ReflectiveOperationException { socket = Peer.socketOf(stream); }

  static Outgoing of(Object stream) throws ReflectiveOperationException {
    Outgoing known = all.get(stream);
    if (known == null) all.put(stream, known = new Outgoing(stream));
    return known;
  }

  /** What is to be written instead, or null: these bytes. */
  synchronized byte[] write(byte[] bytes, int offset, int size) throws ReflectiveOperationException {
    if (state == State.OFF) return null;
    ByteArrayOutputStream out = null;
    int from = offset, end = offset + size;
    for (int at = offset; at < end && state != State.OFF;) {
      if (state == State.BODY || state == State.CHUNK) {
        long some = Math.min(left, end - at);
        left -= some;
        at += (int) some;
        if (left == 0) state = state == State.BODY ? State.START : State.CHUNK_END;
        continue;
      }
      char c = (char) (bytes[at++] & 0xFF);
      if (state == State.START) {
        if (c == '\r' || c == '\n') continue;
        state = c >= 'A' && c <= 'Z' ? State.LINE : State.OFF;
      }
      if (c != '\n') {
        if (line.length() >= LONGEST
            || state == State.LINE && line.length() < 24 && line.indexOf(" ") < 0
                && !(c >= 'A' && c <= 'Z' || c == ' ' || c == '-'))
          state = State.OFF;
        line.append(c);
        continue;
      }
      boolean begins = state == State.LINE;
      took();
      if (!begins || state != State.HEAD) continue;
      byte[] tag = isTagged(bytes, at, end) ? null : tag();
      if (tag == null || tag.length == 0) continue;
      if (out == null) out = new ByteArrayOutputStream(size + tag.length);
      out.write(bytes, from, at - from);
      out.write(tag, 0, tag.length);
      from = at;
    }
    if (out == null) return null;
    out.write(bytes, from, end - from);
    return out.toByteArray();
  }

  private byte[] tag() throws ReflectiveOperationException {
    if (ours == null) ours = Peer.isOurs(socket.get());
    Origin call = Calls.take();
    return ours ? Tag.lines(call != null && call.hasSite() ? call : Stack.origin()) : null;
  }

  private static boolean isTagged(byte[] bytes, int from, int end) {
    String rest = new String(bytes, from, Math.min(end - from, LONGEST), StandardCharsets.ISO_8859_1);
    int head = rest.indexOf("\r\n\r\n"), at = rest.toLowerCase(java.util.Locale.ROOT).indexOf("x-retrial-site:");
    return at >= 0 && (head < 0 || at < head);
  }

  /** A line has come to its end. */
  private void took() {
    String text = line.length() > 0 && line.charAt(line.length() - 1) == '\r' ? line.substring(0, line.length() - 1)
                                                                              : line.toString();
    line.setLength(0);
    switch (state) {
      case LINE:
        length = 0;
        chunked = last = false;
        boolean isRequest = !text.startsWith("CONNECT ") && (text.endsWith(" HTTP/1.1") || text.endsWith(" HTTP/1.0"));
        state = isRequest && text.indexOf(' ') != text.lastIndexOf(' ') ? State.HEAD : State.OFF;
        break;
      case HEAD:
        if (text.isEmpty())
          state = last ? State.OFF : chunked ? State.SIZE : length > 0 ? body() : State.START;
        else
          header(text);
        break;
      case SIZE:
        left = chunkSize(text);
        state = left < 0 ? State.OFF : left == 0 ? State.TRAILER : State.CHUNK;
        break;
      case CHUNK_END: state = State.SIZE; break;
      case TRAILER:
        if (text.isEmpty()) state = State.START;
        break;
      default: state = State.OFF;
    }
  }

  private State body() {
    left = length;
    return State.BODY;
  }

  private void header(String text) {
    int colon = text.indexOf(':');
    if (colon < 0) return;
    String name = text.substring(0, colon).toLowerCase(java.util.Locale.ROOT),
           value = text.substring(colon + 1).trim().toLowerCase(java.util.Locale.ROOT);
    if (name.equals("transfer-encoding")) chunked |= value.endsWith("chunked");
    if (name.equals("upgrade")) last = true; // what follows may be another protocol
    if (name.equals("content-length")) {
      try {
        length = Long.parseLong(value);
      } catch (NumberFormatException error) {
        last = true;
      }
    }
  }

  private static long chunkSize(String text) {
    int end = text.indexOf(';');
    try {
      return Long.parseLong((end < 0 ? text : text.substring(0, end)).trim(), 16);
    } catch (NumberFormatException error) {
      return -1;
    }
  }
}
