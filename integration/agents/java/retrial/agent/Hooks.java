package retrial.agent;

/**
 * What edited methods call, on whatever thread they run. Nothing thrown here reaches them, and no hook runs within
 * another on one thread.
 */
public final class Hooks {
  private Hooks() {}

  private static final class Here {
    boolean busy;
    int offset, length;
  }

  private static final ThreadLocal<Here> here = new ThreadLocal<>() {
    @Override
    protected Here initialValue() {
      return new Here();
    }
  };

  public static void enter(Object self, Object first, Object second, int id) {
    Here now = here.get();
    if (now.busy) return;
    now.busy = true;
    try {
      dispatch(self, first, second, id);
    } catch (Throwable error) {
      Events.failed("hook " + id, error);
    } finally {
      now.busy = false;
    }
  }

  private static void dispatch(Object self, Object first, Object second, int id) throws Throwable {
    switch (id) {
      case Rules.HAND_OVER: Carry.handOver(first != null ? first : self); break;
      case Rules.TAKE_OVER: Carry.takeOver(self, first); break;
      case Rules.UNCAUGHT: Chain.uncaught((Thread) self, (Throwable) first); break;
      case Rules.BEGIN:
      case Rules.JDK_BEGIN: Calls.begin(self); break;
      case Rules.SEND: Calls.send(self, first != null ? first : self); break;
      case Rules.SEND_EXCHANGE: Calls.send(self, Reach.field(first, "exchangeId")); break;
      case Rules.SEND_OF_CHAIN: Calls.send(self, Reach.field(first, "call")); break;
      case Rules.JDK_HTTP1: JdkClient.http1(self); break;
      case Rules.JDK_HTTP2: JdkClient.http2(self); break;
      case Rules.NETTY_WRITE: Netty.write(first); break;
      case Rules.NETTY_ENCODE: Netty.encode(first, second); break;
      case Rules.NETTY_HEADERS: Netty.headers(second); break;
      case Rules.GRPC_START: Grpc.start(self, first); break;
      case Rules.GRPC_SEND: Grpc.send(self, first); break;
      case Rules.LAUNCHER: JUnitPlatform.join(self); break;
      case Rules.PHASE_SETUP: Current.phase("setup"); break;
      case Rules.PHASE_TEST: Current.phase("test"); break;
      case Rules.PHASE_TEARDOWN: JUnitPlatform.tearsDown(first); break;
      case Rules.TESTNG: TestNg.join(self); break;
      default: JUnit4.told(id, first);
    }
  }

  public static Object replace(Object self, Object value, int id) {
    Here now = here.get();
    if (now.busy) return value;
    now.busy = true;
    try {
      switch (id) {
        case Rules.REQUEST: return JUnitPlatform.only(value);
        case Rules.EXPECTED: return Expected.telling(value);
        default: return OkHttp2.fields(self, value);
      }
    } catch (Throwable error) {
      Events.failed("hook " + id, error);
      return value;
    } finally {
      now.busy = false;
    }
  }

  /** What is to be written in place of these bytes: from offset() on, length() of them. */
  public static byte[] write(Object stream, byte[] bytes, int offset, int length) {
    Here now = here.get();
    now.offset = offset;
    now.length = length;
    if (now.busy || bytes == null || length <= 0 || offset < 0 || length > bytes.length - offset) return bytes;
    now.busy = true;
    try {
      byte[] tagged = Outgoing.of(stream).write(bytes, offset, length);
      if (tagged != null) {
        now.offset = 0;
        now.length = tagged.length;
        return tagged;
      }
    } catch (Throwable error) {
      Events.failed("write", error);
    } finally {
      now.busy = false;
    }
    return bytes;
  }

  public static int offset() { return here.get().offset; }

  public static int length() { return here.get().length; }
}
