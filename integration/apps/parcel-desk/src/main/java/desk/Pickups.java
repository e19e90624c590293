package desk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Books a pickup. Right: each booking has a key by which the service knows it again. */
public final class Pickups {
  private final URI service;

  public Pickups(URI service) { this.service = service; }

  public String book(String day) throws IOException, InterruptedException {
    var key = UUID.randomUUID().toString();
    for (int attempt = 1;; attempt++) {
      try {
        return send(day, key);
      } catch (IOException lost) {
        if (attempt == 3) throw lost;
        Thread.sleep(Pause.before(attempt));
      }
    }
  }

  private String send(String day, String key) throws IOException {
    var connection = (HttpURLConnection) service.resolve("/pickups").toURL().openConnection();
    connection.setConnectTimeout(5_000);
    connection.setReadTimeout(10_000);
    connection.setRequestMethod("POST");
    connection.setRequestProperty("Idempotency-Key", key);
    connection.setDoOutput(true);
    connection.getOutputStream().write(("{\"day\": \"" + day + "\"}").getBytes(StandardCharsets.UTF_8));
    int status = connection.getResponseCode();
    if (status >= 500) throw new IOException("pickups: status " + status);
    if (status >= 300) throw new UncheckedIOException(new IOException("pickups: status " + status));
    try (var in = connection.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
