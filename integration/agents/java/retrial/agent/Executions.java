package retrial.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A run may execute a test several times in one JVM (docs/agents.md): whoever starts the runner counts on, and what is
 * executed then goes by "ID [again 2]". Any thread.
 */
final class Executions {
  private Executions() {}

  private static final Pattern AGAIN = Pattern.compile("(.*) \\[again (\\d+)]");
  private static Map<Integer, Set<String>> wanted;

  /** Which one is under way, from 1 on. */
  static int now() { return Integer.getInteger("retrial.execution", 1); }

  /** The name by which this test goes in it. A class has none. */
  static String named(String id) {
    int now = now();
    return now < 2 || !id.contains("#") ? id : id + " [again " + now + "]";
  }

  /** The ids in $RETRIAL_ONLY that are to be executed in it; null: all. */
  static synchronized Set<String> wanted() throws IOException {
    String file = System.getenv("RETRIAL_ONLY");
    if (file == null || file.isEmpty()) return null;
    if (wanted == null) {
      wanted = new HashMap<>();
      for (String line : Files.readAllLines(Path.of(file))) {
        Matcher again = AGAIN.matcher(line);
        boolean isAgain = again.matches();
        if (!line.isEmpty())
          wanted.computeIfAbsent(isAgain ? Integer.parseInt(again.group(2)) : 1, n -> new HashSet<>())
              .add(isAgain ? again.group(1) : line);
      }
    }
    return wanted.getOrDefault(now(), Set.of());
  }
}
