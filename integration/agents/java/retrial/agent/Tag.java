package retrial.agent;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** The tag of a request: header names and values, ready for the wire. Empty where nothing is known. */
final class Tag {
  private Tag() {}

  static final String[] NAMES = {"x-retrial-site", "x-retrial-call", "x-retrial-test", "x-retrial-phase"};

  static Map<String, String> of(Origin origin) {
    Events.announce();
    String[] test = Current.test();
    String[] values = {origin == null ? null : origin.site, origin == null ? null : origin.call, test[0], test[1]};
    Map<String, String> tag = new LinkedHashMap<>();
    for (int i = 0; i < NAMES.length; i++)
      if (values[i] != null) tag.put(NAMES[i], encoded(values[i]));
    return tag;
  }

  /** As lines of a head. */
  static byte[] lines(Origin origin) {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, String> e : of(origin).entrySet())
      text.append(e.getKey()).append(": ").append(e.getValue()).append("\r\n");
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }

  /** ASCII; anything else, and `%` and space, percent-encoded as UTF-8. */
  static String encoded(String text) {
    StringBuilder out = null;
    for (int i = 0; i < text.length() && out == null; i++)
      if (text.charAt(i) <= ' ' || text.charAt(i) > '~' || text.charAt(i) == '%') out = new StringBuilder();
    if (out == null) return text;
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (b > ' ' && b <= '~' && b != '%')
        out.append((char) b);
      else
        out.append('%')
            .append(Character.toUpperCase(Character.forDigit(b >> 4 & 15, 16)))
            .append(Character.toUpperCase(Character.forDigit(b & 15, 16)));
    }
    return out.toString();
  }
}
