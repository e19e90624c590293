package retrial.agent;

/** One event as JSON text, in ASCII. */
final class Json {
  private final StringBuilder text = new StringBuilder("{");

  Json() {}

  Json(String event) { put("ev", event); }

  Json put(String name, String value) { return value == null ? this : raw(name, quoted(value)); }

  Json put(String name, long value) { return raw(name, Long.toString(value)); }

  Json put(String name, boolean value) { return raw(name, Boolean.toString(value)); }

  Json raw(String name, String json) {
    if (text.length() > 1) text.append(',');
    text.append(quoted(name)).append(':').append(json);
    return this;
  }

  @Override
  public String toString() {
    return text + "}";
  }

  static String cut(String value, int most) {
    return value != null && value.length() > most ? value.substring(0, most) : value;
  }

  private static String quoted(String value) {
    StringBuilder out = new StringBuilder(value.length() + 2).append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c >= 0x20 && c < 0x7F) {
        out.append(c);
      } else {
        String hex = Integer.toHexString(c);
        out.append("\\u").append("0000", hex.length(), 4).append(hex);
      }
    }
    return out.append('"').toString();
  }
}
