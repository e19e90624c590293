package desk;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Prints labels. Wrong: a label whose answer was lost is printed again. */
public final class Labels {
  private final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
  private final URI service;

  public Labels(URI service) { this.service = service; }

  public String print(String parcel) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(service.resolve("/labels"))
                      .timeout(Duration.ofSeconds(10))
                      .POST(HttpRequest.BodyPublishers.ofString("{\"parcel\": \"" + parcel + "\"}"))
                      .build();
    for (int attempt = 1;; attempt++) {
      try {
        var response = client.send(request, BodyHandlers.ofString());
        if (response.statusCode() != 201) throw new IllegalStateException("labels: status " + response.statusCode());
        return response.body();
      } catch (IOException lost) {
        if (attempt == 3) throw lost;
        Thread.sleep(Pause.before(attempt));
      }
    }
  }
}
