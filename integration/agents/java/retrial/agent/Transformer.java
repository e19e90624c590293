package retrial.agent;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Edits the classes of `Rules` as they are loaded, on the thread that loads them. */
final class Transformer implements ClassFileTransformer {
  private final Map<String, List<Edit>> byType;

  Transformer(Map<String, List<Edit>> byType) { this.byType = byType; }

  @Override
  public byte[] transform(ClassLoader loader, String name, Class<?> loaded, ProtectionDomain domain, byte[] file) {
    if (name == null) return null;
    List<Edit> edits = byType.get(name);
    if (edits == null && name.startsWith("io/grpc/netty/shaded/"))
      edits = byType.get(name.substring("io/grpc/netty/shaded/".length()));
    if (edits == null) return null;
    try {
      return ClassFile.edited(file, loaded == null ? edits : withoutRenaming(edits));
    } catch (Throwable error) {
      Events.failed(name, error);
      return null;
    }
  }

  private static List<Edit> withoutRenaming(List<Edit> edits) {
    List<Edit> some = new ArrayList<>();
    for (Edit edit : edits)
      if (edit.kind != Edit.Kind.LEAVE) some.add(edit);
    return some;
  }
}
