package retrial.agent;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** Ids of tests: package.Class$Nested#method(java.lang.String)[2]. What has no parameters has no parentheses. */
final class TestId {
  private TestId() {}

  /** Of an id of JUnit's platform: [engine:junit-jupiter]/[class:demo.FooTest]/[method:ok()]. An engine's own: "". */
  static String of(String unique) {
    StringBuilder id = new StringBuilder();
    for (String segment : unique.substring(1, unique.length() - 1).split("]/\\[")) {
      int colon = segment.indexOf(':');
      String kind = segment.substring(0, colon),
             value = URLDecoder.decode(segment.substring(colon + 1), StandardCharsets.UTF_8);
      switch (kind) {
        case "engine": break;
        case "class":
        case "runner": id.append(value); break;
        case "nested-class": id.append('$').append(value); break;
        case "method":
        case "test-factory":
        case "test-template": id.append('#').append(bare(value)); break;
        case "test-template-invocation":
        case "dynamic-test":
        case "dynamic-container": id.append('[').append(value.substring(1)).append(']'); break;
        case "test": // vintage: ok(demo.FooTest), or the parameters [0] above it
          if (!value.startsWith("["))
            id.append('#').append(value.contains("(") ? value.substring(0, value.lastIndexOf('(')) : value);
          break;
        default: return unique;
      }
    }
    return id.toString();
  }

  private static String bare(String method) {
    return method.endsWith("()") ? method.substring(0, method.length() - 2) : method;
  }

  /** Itself, or what it stands in, or what stands in it. */
  static boolean isWanted(String id, Set<String> wanted) {
    if (id.isEmpty() || wanted.contains(id)) return true;
    for (String one : wanted)
      if (isWithin(one, id) || isWithin(id, one)) return true;
    return false;
  }

  private static boolean isWithin(String inner, String outer) {
    return inner.length() > outer.length() && inner.startsWith(outer)
        && "#$[(/".indexOf(inner.charAt(outer.length())) >= 0;
  }
}
