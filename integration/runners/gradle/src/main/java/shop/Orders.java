package shop;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;

public final class Orders {
  private final String shop;

  public Orders(String shop) {
    this.shop = shop;
  }

  /** Wrong: what may have been paid is paid once more. */
  public void pay(String order) throws IOException, InterruptedException {
    for (int attempt = 0;; attempt++) {
      try {
        post("/payments", order, null);
        return;
      } catch (IOException lost) {
        if (attempt == 2) throw lost;
        Thread.sleep(1000L << attempt);
      }
    }
  }

  /** Right: a key tells the shop that it is the same order. */
  public void place(String order) throws IOException, InterruptedException {
    for (int attempt = 0;; attempt++) {
      try {
        post("/orders", order, "order-" + order);
        return;
      } catch (IOException lost) {
        if (attempt == 2) throw lost;
        Thread.sleep(1000L << attempt);
      }
    }
  }

  private void post(String path, String body, String key) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) new URL(shop + path).openConnection();
    connection.setReadTimeout(10_000);
    connection.setDoOutput(true);
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    connection.setFixedLengthStreamingMode(bytes.length); // else it sends again by itself
    if (key != null) connection.setRequestProperty("Idempotency-Key", key);
    connection.getOutputStream().write(bytes);
    if (connection.getResponseCode() >= 400) throw new IOException("the shop answered " + connection.getResponseCode());
    connection.getInputStream().close();
  }
}
