package retrial.agent;

import java.io.File;
import java.net.URL;
import java.security.CodeSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Whose code a class is, and which file it was compiled from. */
final class Sources {
  private Sources() {}

  /** Of one class. */
  static final class Of {
    final boolean isApplication, isTest;
    private final String compiled, inPackage;
    private final String function; // what its functions' names begin with
    private final ConcurrentHashMap<Position, Frame> frames = new ConcurrentHashMap<>();
    private volatile Set<String> loops;

    Of(boolean isApplication, boolean isTest, String compiled, String inPackage, String function) {
      this.isApplication = isApplication;
      this.isTest = isTest;
      this.compiled = compiled;
      this.inPackage = inPackage;
      this.function = function;
    }

    /** By the name that the class file has of it; the package's folder alone where it is not found. */
    String file(String name) {
      if (name == null) return inPackage + "unknown";
      String folder = folderOf(compiled, inPackage, name);
      return (folder == null ? inPackage : folder) + name;
    }

    Frame frame(StackWalker.StackFrame of) {
      Position at = new Position(of);
      Frame known = frames.get(at);
      if (known == null) frames.put(at, known = frame(of.toStackTraceElement(), of.getDeclaringClass()));
      return known;
    }

    private Frame frame(StackTraceElement at, Class<?> type) {
      if (loops == null) loops = Loops.of(type);
      int line = Math.max(at.getLineNumber(), 0);
      boolean isInLoop = loops.contains(Loops.key(at.getMethodName(), line));
      return new Frame(file(at.getFileName()), line, function(at.getMethodName()), isTest, isInLoop);
    }

    /** A lambda is named by the function that it stands in. */
    String function(String method) {
      if (method.startsWith("lambda$")) {
        int end = method.lastIndexOf('$');
        method = end > 7 ? method.substring(7, end) : method.substring(7);
        if (method.equals("new")) method = "<init>";
        if (method.equals("static")) method = "<clinit>";
      }
      return function + "." + method;
    }
  }

  /** In a class; its line takes ten times as long to find. */
  private static final class Position {
    private final int index;
    private final String method, descriptor;

    Position(StackWalker.StackFrame frame) {
      index = frame.getByteCodeIndex();
      method = frame.getMethodName();
      descriptor = frame.getDescriptor();
    }

    @Override
    public int hashCode() {
      return index * 31 + method.length();
    }

    @Override
    public boolean equals(Object other) {
      Position of = (Position) other;
      return index == of.index && method.equals(of.method) && descriptor.equals(of.descriptor);
    }
  }

  private static final Of LIBRARY = new Of(false, false, "", "", "");
  private static final String START = start();
  private static final String[] ROOTS = {"src/main/java/", "src/test/java/", "src/main/kotlin/", "src/test/kotlin/",
      "src/main/scala/", "src/test/scala/", "src/main/groovy/", "src/test/groovy/", "src/it/java/",
      "src/integrationTest/java/", "target/generated-sources/annotations/", "src/", "test/", "java/", ""};
  private static final String[] ENDINGS = {".java", ".kt", ".scala", ".groovy"};
  private static final ConcurrentHashMap<String, String> folders = new ConcurrentHashMap<>();

  private static final ClassValue<Of> known = new ClassValue<>() {
    @Override
    protected Of computeValue(Class<?> type) {
      return classify(type);
    }
  };

  static Of of(Class<?> type) { return known.get(type); }

  private static Of classify(Class<?> type) {
    try {
      String name = type.getName();
      ClassLoader loader = type.getClassLoader();
      if (loader == null || loader == ClassLoader.getPlatformClassLoader() || name.contains("$$")
          || name.contains("$Proxy"))
        return LIBRARY;
      CodeSource code = type.getProtectionDomain().getCodeSource();
      URL at = code == null ? null : code.getLocation();
      if (at == null || !at.getProtocol().equals("file")) return LIBRARY;
      String path = new File(at.toURI()).getAbsolutePath();
      boolean isFolder = new File(path).isDirectory();
      int dot = name.lastIndexOf('.');
      String inPackage = dot < 0 ? "" : name.substring(0, dot).replace('.', '/') + "/";
      // A jar is the application's where its source lies in the project: another module's, or all in one.
      if (!isFolder && !hasSource(path, inPackage, outermost(name.substring(dot + 1)))) return LIBRARY;
      boolean isTest = path.endsWith("/test-classes") || path.contains("/classes/") && path.endsWith("/test");
      return new Of(true, isTest, path, inPackage, name.substring(dot + 1).replace('$', '.'));
    } catch (Exception error) {
      return LIBRARY;
    }
  }

  private static String outermost(String simpleName) {
    int inner = simpleName.indexOf('$', 1);
    return inner < 0 ? simpleName : simpleName.substring(0, inner);
  }

  private static boolean hasSource(String compiled, String inPackage, String name) {
    for (String ending : ENDINGS)
      if (folderOf(compiled, inPackage, name + ending) != null) return true;
    return false;
  }

  /**
   * The folder of the source, with a slash behind, relative to where we began where it lies below it; null: not found.
   */
  private static String folderOf(String compiled, String inPackage, String file) {
    String key = compiled + "\n" + inPackage + file, folder = folders.get(key);
    if (folder == null) folders.put(key, folder = find(compiled, inPackage + file, inPackage));
    return folder.equals("?") ? null : folder;
  }

  /** Above what is compiled, up to where we began: `target/classes`, then `src/main/java` beside it. */
  private static String find(String compiled, String file, String inPackage) {
    File above = new File(compiled.startsWith(START) ? compiled : START);
    for (; above != null && (above.getPath() + "/").startsWith(START); above = above.getParentFile())
      for (String root : ROOTS)
        if (new File(above, root + file).isFile()) return relative(above.getPath() + "/" + root + inPackage);
    return "?";
  }

  private static String relative(String path) { return path.startsWith(START) ? path.substring(START.length()) : path; }

  /** Where the command was started, with a slash behind: a runner's JVM may stand in a module below. */
  private static String start() {
    String here = new File(System.getProperty("user.dir")).getAbsolutePath(), told = System.getenv("RETRIAL_FROM");
    if (told != null && (here + "/").startsWith(told.endsWith("/") ? told : told + "/")) here = told;
    return here.endsWith("/") ? here : here + "/";
  }
}
