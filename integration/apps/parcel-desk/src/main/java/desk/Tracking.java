package desk;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Where a parcel is. Right: three attempts, with growing pauses between them. */
public final class Tracking {
  private final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
  private final URI service;

  public Tracking(URI service) { this.service = service; }

  public CompletableFuture<String> find(String parcel) {
    return CompletableFuture.supplyAsync(() -> {
      try {
        return ask(
            HttpRequest.newBuilder(service.resolve("/parcels/" + parcel)).timeout(Duration.ofSeconds(10)).build());
      } catch (IOException | InterruptedException error) {
        throw new CompletionException(error);
      }
    });
  }

  private String ask(HttpRequest request) throws IOException, InterruptedException {
    for (int attempt = 1;; attempt++) {
      IOException why;
      try {
        var response = client.send(request, BodyHandlers.ofString());
        if (response.statusCode() == 200) return response.body();
        why = new IOException("tracking: status " + response.statusCode());
        if (response.statusCode() < 500) throw why;
      } catch (IOException lost) {
        why = lost;
      }
      if (attempt == 3) throw why;
      Thread.sleep(Pause.before(attempt));
    }
  }
}
