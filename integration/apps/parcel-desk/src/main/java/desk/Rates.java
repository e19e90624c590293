package desk;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** What a parcel costs. Wrong: while the service is down it is asked without a pause, and without an end. */
public final class Rates {
  private final URI service;

  public Rates(URI service) { this.service = service; }

  public String of(int grams) throws IOException {
    while (true) {
      var connection = (HttpURLConnection) service.resolve("/rates/" + grams).toURL().openConnection();
      connection.setConnectTimeout(5_000);
      connection.setReadTimeout(10_000);
      if (connection.getResponseCode() >= 500) continue;
      try (var in = connection.getInputStream()) {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      }
    }
  }
}
