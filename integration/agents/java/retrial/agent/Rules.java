package retrial.agent;

import static retrial.agent.Edit.Kind.ENTER;
import static retrial.agent.Edit.Kind.LEAVE;
import static retrial.agent.Edit.Kind.REPLACE;
import static retrial.agent.Edit.Kind.WRITE;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which methods of which classes call us: one row each. A class or method that is not there is no error: libraries
 * differ by version.
 */
final class Rules {
  private Rules() {}

  // What Hooks.enter and Hooks.replace are asked to do.
  static final int HAND_OVER = 1, TAKE_OVER = 2, BEGIN = 3, SEND = 4, SEND_EXCHANGE = 5, SEND_OF_CHAIN = 6,
                   JDK_BEGIN = 7, JDK_HTTP1 = 8, JDK_HTTP2 = 9, NETTY_WRITE = 10, NETTY_ENCODE = 11, NETTY_HEADERS = 12,
                   GRPC_START = 13, GRPC_SEND = 14, OK_HTTP2 = 15, UNCAUGHT = 16, LAUNCHER = 20, REQUEST = 21,
                   PHASE_SETUP = 22, PHASE_TEST = 23, PHASE_TEARDOWN = 24, JUNIT4_STARTED = 30, JUNIT4_FINISHED = 31,
                   JUNIT4_FAILED = 32, JUNIT4_SKIPPED = 33, JUNIT4_SUITE = 34, JUNIT4_SUITE_END = 35, TESTNG = 40,
                   EXPECTED = 50;

  private static final String CONCURRENT = "java/util/concurrent/", JDK_CLIENT = "jdk/internal/net/http/",
                              APACHE4 = "org/apache/http/impl/execchain/",
                              APACHE5 = "org/apache/hc/client5/http/impl/classic/", OK = "okhttp3/internal/",
                              LAUNCH = "org/junit/platform/launcher/core/",
                              JUPITER = "org/junit/jupiter/engine/descriptor/",
                              NOTIFIER = "org/junit/runner/notification/RunNotifier";

  private static final Edit[] ROWS = {
      // Work that is handed to another thread.
      new Edit(ENTER, "java/lang/Thread", "start", "()", HAND_OVER, 0, 0),
      new Edit(ENTER, "java/lang/VirtualThread", "start", "()", HAND_OVER, 0, 0),
      new Edit(ENTER, "java/lang/Thread", "dispatchUncaughtException", "(", UNCAUGHT, 1, 0),
      new Edit(ENTER, CONCURRENT + "ThreadPoolExecutor", "execute", "(", HAND_OVER, 1, 0),
      new Edit(ENTER, CONCURRENT + "ScheduledThreadPoolExecutor", "delayedExecute", "(", HAND_OVER, 1, 0),
      new Edit(LEAVE, CONCURRENT + "ThreadPoolExecutor", "getTask", "()", TAKE_OVER, 0, 0),
      new Edit(ENTER, CONCURRENT + "ForkJoinPool", "externalSubmit", "(L", HAND_OVER, 1, 0),
      new Edit(ENTER, CONCURRENT + "ForkJoinPool", "poolSubmit", "(Z", HAND_OVER, 2, 0),
      new Edit(ENTER, CONCURRENT + "ForkJoinTask", "fork", "()", HAND_OVER, 0, 0),
      new Edit(ENTER, CONCURRENT + "ForkJoinTask", "doExec", "()", TAKE_OVER, -1, 0),
      // Where bytes leave, below TLS and above it.
      new Edit(WRITE, "java/net/Socket$SocketOutputStream", "write", "([BII)", 0, 0, 0),
      new Edit(WRITE, "java/net/SocketOutputStream", "write", "([BII)", 0, 0, 0),
      new Edit(WRITE, "sun/security/ssl/SSLSocketImpl$AppOutputStream", "write", "([BII)", 0, 0, 0),
      // Which call an attempt belongs to.
      new Edit(ENTER, "sun/net/www/protocol/http/HttpURLConnection", "writeRequests", "()", SEND, -1, 0),
      // Which asks once more by itself where an answer is lost; Java 21 has no ProgressSource.
      new Edit(ENTER, "sun/net/www/http/HttpClient", "parseHTTP", "(Lsun/net/www/MessageHeader;Lsun/net/Progress", SEND,
          3, 0),
      new Edit(ENTER, "sun/net/www/http/HttpClient", "parseHTTP", "(Lsun/net/www/MessageHeader;Lsun/net/www/protocol/",
          SEND, 2, 0),
      new Edit(ENTER, APACHE4 + "MainClientExec", "execute", "(", SEND, 2, 0),
      new Edit(ENTER, APACHE4 + "MinimalClientExec", "execute", "(", SEND, 2, 0),
      new Edit(ENTER, APACHE5 + "MainClientExec", "execute", "(", SEND_EXCHANGE, 2, 0),
      new Edit(ENTER, OK + "connection/RealCall", "execute", "()", BEGIN, 0, 0),
      new Edit(ENTER, OK + "connection/RealCall", "enqueue", "(", BEGIN, 0, 0),
      new Edit(ENTER, "okhttp3/RealCall", "execute", "()", BEGIN, 0, 0),
      new Edit(ENTER, "okhttp3/RealCall", "enqueue", "(", BEGIN, 0, 0),
      new Edit(ENTER, OK + "http/CallServerInterceptor", "intercept", "(", SEND_OF_CHAIN, 1, 0),
      new Edit(REPLACE, OK + "http2/Http2Connection", "newStream", "(Ljava/util/List;Z)", OK_HTTP2, 1, 0),
      // java.net.http.
      new Edit(ENTER, JDK_CLIENT + "MultiExchange", "responseAsync", "(", JDK_BEGIN, 0, 0),
      new Edit(ENTER, JDK_CLIENT + "Http1Request", "headers", "()", JDK_HTTP1, 0, 0),
      new Edit(ENTER, JDK_CLIENT + "Stream", "headerFrame", "(", JDK_HTTP2, 0, 0),
      // Netty and gRPC.
      new Edit(ENTER, "io/netty/channel/DefaultChannelPipeline", "write", "(", NETTY_WRITE, 1, 0),
      new Edit(ENTER, "io/netty/channel/DefaultChannelPipeline", "writeAndFlush", "(", NETTY_WRITE, 1, 0),
      new Edit(ENTER, "io/netty/handler/codec/http/HttpObjectEncoder", "encode", "(", NETTY_ENCODE, 1, 2),
      new Edit(ENTER, "io/netty/handler/codec/http/HttpObjectEncoder", "encodeHeaders", "(", NETTY_HEADERS, 1, 2),
      new Edit(ENTER, "io/grpc/internal/ClientCallImpl", "start", "(", GRPC_START, 2, 0),
      new Edit(ENTER, "io/grpc/netty/NettyClientStream$Sink", "writeHeaders", "(", GRPC_SEND, 1, 0),
      new Edit(ENTER, "io/grpc/okhttp/OkHttpClientStream$Sink", "writeHeaders", "(", GRPC_SEND, 1, 0),
      // Runners.
      new Edit(ENTER, LAUNCH + "DefaultLauncher", "discover", "(", LAUNCHER, 0, 0),
      new Edit(ENTER, LAUNCH + "DefaultLauncher", "execute", "(", LAUNCHER, 0, 0),
      new Edit(REPLACE, LAUNCH + "EngineDiscoveryOrchestrator", "discover",
          "(Lorg/junit/platform/launcher/LauncherDiscoveryRequest;", REQUEST, 1, 0),
      new Edit(ENTER, JUPITER + "TestMethodTestDescriptor", "invokeBeforeEachCallbacks", "(", PHASE_SETUP, 0, 0),
      new Edit(ENTER, JUPITER + "TestMethodTestDescriptor", "invokeTestMethod", "(", PHASE_TEST, 0, 0),
      new Edit(ENTER, JUPITER + "TestMethodTestDescriptor", "invokeAfterEachMethods", "(", PHASE_TEARDOWN, 1, 0),
      new Edit(ENTER, NOTIFIER, "fireTestStarted", "(", JUNIT4_STARTED, 1, 0),
      new Edit(ENTER, NOTIFIER, "fireTestFinished", "(", JUNIT4_FINISHED, 1, 0),
      new Edit(ENTER, NOTIFIER, "fireTestFailure", "(", JUNIT4_FAILED, 1, 0),
      new Edit(ENTER, NOTIFIER, "fireTestAssumptionFailed", "(", JUNIT4_SKIPPED, 1, 0),
      new Edit(ENTER, NOTIFIER, "fireTestIgnored", "(", JUNIT4_SKIPPED, 1, 0),
      new Edit(ENTER, NOTIFIER, "fireTestSuiteStarted", "(", JUNIT4_SUITE, 1, 0),
      new Edit(ENTER, NOTIFIER, "fireTestSuiteFinished", "(", JUNIT4_SUITE_END, 1, 0),
      new Edit(ENTER, "org/testng/TestNG", "run", "()", TESTNG, 0, 0),
      // What a test expects to be thrown: the function that is to throw it.
      new Edit(REPLACE, "org/junit/jupiter/api/AssertThrows", "assertThrows",
          "(Ljava/lang/Class;Lorg/junit/jupiter/api/function/Executable;Ljava/lang/Object;)", EXPECTED, 2, 0),
      new Edit(REPLACE, "org/junit/Assert", "assertThrows", "(Ljava/lang/String;", EXPECTED, 3, 0),
      new Edit(REPLACE, "org/assertj/core/api/ThrowableAssert", "catchThrowable", "(", EXPECTED, 1, 0),
  };

  static Map<String, List<Edit>> byType() {
    Map<String, List<Edit>> all = new HashMap<>();
    for (Edit row : ROWS) {
      List<Edit> of = all.get(row.type);
      if (of == null) all.put(row.type, of = new ArrayList<>(2));
      of.add(row);
    }
    return all;
  }
}
