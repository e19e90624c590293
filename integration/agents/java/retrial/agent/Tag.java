package retrial.agent;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tag of a request: header names and values, ready for the wire. Empty where nothing is known. */
final class Tag {
  private Tag() {}

  static final String[] NAMES = {"x-retrial-site", "x-retrial-call", "x-retrial-test", "x-retrial-phase",
      "x-retrial-statement", "x-retrial-callers", "x-retrial-libraries"};

  static Map<String, String> of(Origin origin) {
    Events.announce();
    String[] test = Current.test();
    if (origin == null) origin = Origin.NONE;
    Frame[] chain = origin.chain;
    String[] values = {chain.length == 0 ? null : encoded(chain[0].text), origin.call,
        test[0] == null ? null : encoded(test[0]), test[1],
        test[0] == null || origin.statement == null ? null : origin.statement.asStatement(), callers(chain),
        origin.call == null ? null : library(origin)};
    Map<String, String> tag = new LinkedHashMap<>();
    for (int i = 0; i < NAMES.length; i++)
      if (values[i] != null) tag.put(NAMES[i], values[i]);
    return tag;
  }

  /** An empty one stands behind the innermost that calls from within a loop: it may be the one that goes on. */
  private static String callers(Frame[] chain) {
    List<String> callers = new ArrayList<>(8);
    boolean isParted = false;
    for (int i = 0; i < chain.length; i++) {
      if (i > 0) callers.add(chain[i].asCaller());
      if (!isParted && chain[i].isInLoop && !chain[i].isTest) isParted = callers.add("");
    }
    if (callers.isEmpty()) return null;
    return callers.size() == 1 && isParted ? "," : String.join(",", callers);
  }

  /** A call is one run of the library that it was given to. */
  private static String library(Origin origin) {
    if (origin.library == null) return null;
    return origin.call.substring(origin.call.indexOf('-') + 1) + ":" + encoded(origin.library).replace(",", "%2C");
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
