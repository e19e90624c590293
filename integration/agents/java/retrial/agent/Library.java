package retrial.agent;

import java.io.File;
import java.security.CodeSource;

/** Which library a class is of, by its jar's name: "okhttp 4.12.0"; of the JDK "Java 17.0.9 java.net.http". */
final class Library {
  private Library() {}

  private static final ClassValue<String> names = new ClassValue<>() {
    @Override
    protected String computeValue(Class<?> type) {
      ClassLoader loader = type.getClassLoader();
      if (loader == null || loader == ClassLoader.getPlatformClassLoader()) {
        boolean isNew = type.getName().startsWith("jdk.internal.net.http.");
        return "Java " + System.getProperty("java.version") + (isNew ? " java.net.http" : " HttpURLConnection");
      }
      try {
        CodeSource code = type.getProtectionDomain().getCodeSource();
        String jar = new File(code.getLocation().toURI()).getName();
        String name = jar.endsWith(".jar") ? jar.substring(0, jar.length() - 4) : "";
        for (int at = name.indexOf('-'); at >= 0; at = name.indexOf('-', at + 1))
          if (at + 1 < name.length() && Character.isDigit(name.charAt(at + 1)))
            return name.substring(0, at) + " " + name.substring(at + 1);
        return name;
      } catch (Exception error) {
        return "";
      }
    }
  };

  /** Null: not known. */
  static String of(Class<?> type) {
    String name = names.get(type);
    return name.isEmpty() ? null : name;
  }
}
