package retrial.agent;

import java.util.List;

/**
 * Puts calls of `Hooks` into a class file (JVMS 4). What is put at a method's start is straight-line code of a multiple
 * of four bytes: jumps are relative and switches stay aligned, so that only tables have to be moved. LEAVE renames the
 * method and puts another in its place, which a class that is loaded already does not allow.
 */
final class ClassFile {
  private static final String HOOKS = "retrial/agent/Hooks";
  private static final int PRIVATE = 2, STATIC = 8, FINAL = 0x10, SYNCHRONIZED = 0x20, NATIVE = 0x100, ABSTRACT = 0x400,
                           SYNTHETIC = 0x1000;

  private final byte[] in;
  private final List<Edit> edits;
  private final Pool pool;
  private final Bytes methods = new Bytes();
  private int count, at;
  private boolean changed;

  private ClassFile(byte[] in, List<Edit> edits) {
    this.in = in;
    this.edits = edits;
    pool = new Pool(in);
  }

  /** null where none of these methods is there. */
  static byte[] edited(byte[] file, List<Edit> edits) { return new ClassFile(file, edits).run(); }

  private byte[] run() {
    at = pool.end + 6;
    at += 2 + 2 * pool.u2(at); // interfaces
    int fields = pool.u2(at);
    at += 2;
    while (fields-- > 0) at = member(at);
    int start = at, all = pool.u2(at);
    at += 2;
    for (int i = 0; i < all; i++) method();
    if (!changed) return null;
    Bytes out = new Bytes();
    out.all(in, 0, 8).u2(pool.count).all(in, 10, pool.end).all(pool.added);
    out.all(in, pool.end, start).u2(count).all(methods).all(in, at, in.length);
    return out.toByteArray();
  }

  /** The end of the field or method there. */
  private int member(int from) {
    int next = from + 8;
    for (int n = pool.u2(from + 6); n > 0; n--) next += 6 + u4(next + 2);
    return next;
  }

  private void method() {
    int from = at, access = pool.u2(at), end = member(at);
    String name = pool.text(pool.u2(at + 2)), descriptor = pool.text(pool.u2(at + 4));
    at = end;
    count++;
    if ((access & (NATIVE | ABSTRACT)) == 0)
      for (Edit edit : edits)
        if (edit.isOf(name, descriptor)
            && (edit.kind == Edit.Kind.LEAVE ? leave(edit, from, end) : enter(edit, from, end))) {
          changed = true;
          return;
        }
    methods.all(in, from, end);
  }

  private boolean enter(Edit edit, int from, int end) {
    int access = pool.u2(from);
    boolean isStatic = (access & STATIC) != 0;
    Descriptor of = new Descriptor(pool.text(pool.u2(from + 4)), isStatic);
    Bytes code = new Bytes();
    if (edit.kind == Edit.Kind.WRITE) {
      code.u1(0x2A)
          .u1(0x2B)
          .u1(0x1C)
          .u1(0x1D)
          .u1(0xB8)
          .u2(pool.addMethod(HOOKS, "write", "(Ljava/lang/Object;[BII)[B"))
          .u1(0x4C);
      code.u1(0xB8)
          .u2(pool.addMethod(HOOKS, "offset", "()I"))
          .u1(0x3D)
          .u1(0xB8)
          .u2(pool.addMethod(HOOKS, "length", "()I"))
          .u1(0x3E);
    } else if (edit.kind == Edit.Kind.REPLACE) {
      if (of.slot(edit.first) < 0) return false;
      load(code, isStatic ? -1 : 0);
      load(code, of.slot(edit.first));
      code.u1(0x11).u2(edit.id).u1(0xB8).u2(
          pool.addMethod(HOOKS, "replace", "(Ljava/lang/Object;Ljava/lang/Object;I)Ljava/lang/Object;"));
      code.u1(0xC0).u2(pool.addClass(of.typeName(edit.first))).u1(0x3A).u1(of.slot(edit.first));
    } else {
      load(code, isStatic ? -1 : 0);
      load(code, of.slot(edit.first));
      load(code, of.slot(edit.second));
      code.u1(0x11).u2(edit.id).u1(0xB8).u2(enterHook());
    }
    while (code.size() % 4 != 0) code.u1(0);
    methods.all(in, from, from + 6).u2(pool.u2(from + 6));
    for (int next = from + 8; next < end;) {
      int length = 6 + u4(next + 2);
      if (pool.text(pool.u2(next)).equals("Code")) {
        Bytes moved = Code.with(in, next + 6, code.toByteArray(), pool);
        methods.u2(pool.u2(next)).u4(moved.size()).all(moved);
      } else {
        methods.all(in, next, next + length);
      }
      next += length;
    }
    return true;
  }

  /** `aload`, or `aconst_null` for -1: two bytes. */
  private static void load(Bytes code, int slot) {
    if (slot < 0)
      code.u1(0x01).u1(0);
    else
      code.u1(0x19).u1(slot);
  }

  private int enterHook() {
    return pool.addMethod(HOOKS, "enter", "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;I)V");
  }

  /** For methods of an object that take nothing and give an object. */
  private boolean leave(Edit edit, int from, int end) {
    int access = pool.u2(from), name = pool.u2(from + 2), descriptor = pool.u2(from + 4);
    String text = pool.text(descriptor);
    if ((access & STATIC) != 0 || !text.startsWith("()") || !Descriptor.isReference(text.substring(2))) return false;
    int renamed = pool.addText("retrial$" + edit.method);
    methods.u2(access & ~7 | PRIVATE | SYNTHETIC).u2(renamed).all(in, from + 4, end);
    Bytes code = new Bytes();
    code.u1(0x2A).u1(0xB7).u2(pool.addMethod(pool.u2(pool.end + 2), renamed, descriptor));
    code.u1(0x59).u1(0x2A).u1(0x5F).u1(0x01).u1(0x11).u2(edit.id).u1(0xB8).u2(enterHook()).u1(0xB0);
    methods.u2(access & ~(SYNCHRONIZED | FINAL)).u2(name).u2(descriptor).u2(1).u2(pool.addText("Code"));
    methods.u4(12 + code.size()).u2(5).u2(1).u4(code.size()).all(code).u2(0).u2(0);
    count++;
    return true;
  }

  private int u4(int offset) { return pool.u2(offset) << 16 | pool.u2(offset + 2); }
}
