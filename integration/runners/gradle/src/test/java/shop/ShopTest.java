package shop;

import static org.junit.Assert.assertEquals;

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;

public class ShopTest {
  private static HttpServer server;
  private static String url;

  @BeforeClass
  public static void open() throws Exception {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", exchange -> {
      exchange.getRequestBody().readAllBytes();
      exchange.sendResponseHeaders(exchange.getRequestMethod().equals("POST") ? 201 : 200, 2);
      exchange.getResponseBody().write(new byte[] {'1', '2'});
      exchange.close();
    });
    server.start();
    url = "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @AfterClass
  public static void close() {
    server.stop(0);
  }

  @Test
  public void isPaid() throws Exception {
    new Orders(url).pay("7");
  }

  @Test
  public void isPlaced() throws Exception {
    new Orders(url).place("8");
  }

  @Test
  public void isWatched() {
    assertEquals("12", Stock.watch(url));
  }

  @Test
  public void isCounted() throws Exception {
    assertEquals("12", Stock.count(url));
  }
}
