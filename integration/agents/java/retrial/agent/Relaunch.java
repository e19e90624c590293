package retrial.agent;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.jar.JarFile;

/**
 * Some tests of a JVM that Maven's Surefire or Failsafe has forked can be run again without Maven: what that takes is
 * put down once a module, into $RETRIAL_JAVA, as a script NAME.sh, and the classes of its tests, NAME.classes, one
 * "class#" a line.
 */
final class Relaunch {
  private Relaunch() {}

  private static final String[] NOT_THE_TESTS = {
      "java.", "sun.", "jdk.", "os.", "file.", "line.", "path.", "user.", "native.", "awt.", "surefire."};
  private static Path classes;
  private static final Set<String> told = new HashSet<>();

  /** A runner has started to run tests in this JVM. */
  static synchronized void note(String runner) {
    String folder = System.getenv("RETRIAL_JAVA");
    if (folder == null || folder.isEmpty() || System.getenv("RETRIAL_ONLY") != null) return;
    try {
      String[] words =
          new String(Files.readAllBytes(Path.of("/proc/self/cmdline")), StandardCharsets.UTF_8).split("\0");
      int jar = 0;
      while (jar < words.length && !words[jar].equals("-jar")) jar++;
      if (jar + 1 >= words.length || !words[jar + 1].contains("surefire")) return;
      List<String> command = new ArrayList<>(List.of(words).subList(0, jar));
      command.set(0, System.getProperty("java.home") + "/bin/java");
      command.addAll(List.of("-cp", classPath(new File(words[jar + 1])), "retrial.start.Tests", runner));
      Path into = Files.createDirectories(Path.of(folder));
      String name =
          Integer.toHexString((System.getProperty("user.dir") + "\n" + String.join("\n", command)).hashCode());
      Path properties = into.resolve(name + ".properties");
      command.add(properties.toString());
      write(properties, properties());
      classes = into.resolve(name + ".classes");
      write(into.resolve(name + ".sh"), script(command));
    } catch (Exception error) {
      Events.failed("relaunch", error);
    }
  }

  /** A test of this class has run here. */
  static synchronized void ran(String id) {
    int hash = id.indexOf('#');
    if (classes == null || hash < 0 || !told.add(id.substring(0, hash))) return;
    try {
      Files.writeString(
          classes, id.substring(0, hash + 1) + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException error) {
      Events.failed("relaunch", error);
    }
  }

  /** Of a jar whose manifest names what is in it. */
  private static String classPath(File jar) throws Exception {
    try (JarFile file = new JarFile(jar)) {
      List<String> all = new ArrayList<>();
      URI base = jar.getAbsoluteFile().getParentFile().toURI();
      for (String entry : file.getManifest().getMainAttributes().getValue("Class-Path").split(" "))
        if (!entry.isEmpty()) all.add(new File(base.resolve(entry)).getCanonicalPath());
      return String.join(File.pathSeparator, all);
    }
  }

  private static byte[] properties() throws IOException {
    Properties some = new Properties();
    for (String name : System.getProperties().stringPropertyNames()) {
      boolean isOurs = true;
      for (String start : NOT_THE_TESTS) isOurs &= !name.startsWith(start);
      if (isOurs) some.setProperty(name, System.getProperty(name));
    }
    java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
    some.store(out, null);
    return out.toByteArray();
  }

  private static byte[] script(List<String> command) {
    StringBuilder text = new StringBuilder("#!/bin/sh\n");
    for (Map.Entry<String, String> e : System.getenv().entrySet())
      if (e.getKey().matches("[A-Za-z_][A-Za-z0-9_]*") && !e.getKey().startsWith("RETRIAL_"))
        text.append("[ -n \"${")
            .append(e.getKey())
            .append("+set}\" ] || export ")
            .append(e.getKey())
            .append('=')
            .append(quoted(e.getValue()))
            .append('\n');
    text.append("cd ").append(quoted(System.getProperty("user.dir"))).append(" || exit 2\nexec");
    for (String word : command) text.append(' ').append(quoted(word));
    return text.append('\n').toString().getBytes(StandardCharsets.UTF_8);
  }

  private static String quoted(String word) { return "'" + word.replace("'", "'\\''") + "'"; }

  /** Whole or not at all: another JVM may do the same now. */
  private static void write(Path file, byte[] bytes) throws IOException {
    Path beside = file.resolveSibling(file.getFileName() + "." + Events.PID);
    try (OutputStream out = Files.newOutputStream(beside)) {
      out.write(bytes);
    }
    beside.toFile().setExecutable(file.toString().endsWith(".sh"));
    Files.move(beside, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }
}
