package shop;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;

public final class Stock {
  private Stock() {}

  /** Wrong: it asks again at once, and for ever. */
  public static String watch(String shop) {
    while (true) {
      try {
        return get(shop + "/watched");
      } catch (IOException lost) {
        continue;
      }
    }
  }

  /** Right: it waits longer each time, and gives up. */
  public static String count(String shop) throws IOException, InterruptedException {
    for (int attempt = 0;; attempt++) {
      try {
        return get(shop + "/counted");
      } catch (IOException lost) {
        if (attempt == 2) throw lost;
        Thread.sleep((long) ((1000 << attempt) * (0.5 + Math.random())));
      }
    }
  }

  private static String get(String url) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
    connection.setReadTimeout(10_000);
    try (InputStream answer = connection.getInputStream()) {
      return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
