package desk;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** The service, as the tests have it. */
final class Depot implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicInteger labels = new AtomicInteger();
  private final Map<String, String> pickups = new ConcurrentHashMap<>();

  Depot() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
    server.setExecutor(threads);
    server.createContext(
        "/labels", exchange -> answer(exchange, 201, "{\"label\": \"L" + labels.incrementAndGet() + "\"}"));
    server.createContext("/rates", exchange -> answer(exchange, 200, "{\"cents\": 490}"));
    server.createContext("/parcels", exchange -> answer(exchange, 200, "{\"at\": \"depot 4\"}"));
    server.createContext("/pickups", this::book);
    server.start();
  }

  URI uri() { return URI.create("http://127.0.0.1:" + server.getAddress().getPort()); }

  private void book(HttpExchange exchange) throws IOException {
    var key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
    answer(exchange, 201, pickups.computeIfAbsent(key, unused -> "{\"pickup\": \"P" + (pickups.size() + 1) + "\"}"));
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      var bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdown();
  }
}
