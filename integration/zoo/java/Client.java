import dev.failsafe.Failsafe;
import dev.failsafe.RetryPolicy;
import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.RequestBody;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.util.Timeout;
import org.springframework.retry.support.RetryTemplate;

/** Client NAME METHOD URL [--timeout MS]: one call, and how it ended as one line of JSON. 0 however it ended, 2 where there was none. */
public class Client {
  record Ask(String url, String method, int timeout) {
    String path() { return url + (method.equals("POST") ? "/items" : "/items/lamp"); }
    String body() { return method.equals("GET") ? null : "{\"name\":\"lamp\"}"; }
  }

  interface Call { void make(Ask ask) throws Exception; }

  static final HttpClient shared = HttpClient.newHttpClient();

  /** The call that users of java.net.http write: a status from 400 on is thrown. */
  static int plain(Ask ask) throws IOException, InterruptedException {
    var publisher = ask.body() == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(ask.body());
    var request = HttpRequest.newBuilder(URI.create(ask.path())).method(ask.method(), publisher).header("Content-Type", "application/json");
    if (ask.timeout() > 0) request.timeout(Duration.ofMillis(ask.timeout()));
    return checked(shared.send(request.build(), HttpResponse.BodyHandlers.ofString()).statusCode());
  }

  static int checked(int status) throws IOException {
    if (status >= 400) throw new IOException("status " + status);
    return status;
  }

  static void apache(Ask ask) throws IOException {
    try (var client = HttpClients.createDefault()) {
      var request = new HttpUriRequestBase(ask.method(), URI.create(ask.path()));
      if (ask.body() != null) request.setEntity(new StringEntity(ask.body(), ContentType.APPLICATION_JSON));
      if (ask.timeout() > 0) request.setConfig(RequestConfig.custom().setResponseTimeout(Timeout.ofMilliseconds(ask.timeout())).build());
      checked(client.execute(request, response -> { EntityUtils.consume(response.getEntity()); return response.getCode(); }));
    }
  }

  static void okhttp(Ask ask) throws IOException {
    var client = new OkHttpClient();
    if (ask.timeout() > 0) client = client.newBuilder().readTimeout(Duration.ofMillis(ask.timeout())).build();
    var body = ask.body() == null ? null : RequestBody.create(ask.body(), MediaType.get("application/json"));
    try (var response = client.newCall(new okhttp3.Request.Builder().url(ask.path()).method(ask.method(), body).build()).execute()) {
      response.body().string();
      checked(response.code());
    }
  }

  static Call resilient(RetryConfig config) {
    return ask -> Retry.of("zoo", config).executeCallable(() -> plain(ask));
  }

  static final Map<String, Call> clients = Map.of(
      "java.net.http", Client::plain,
      "httpclient5", Client::apache,
      "okhttp", Client::okhttp,
      "resilience4j", resilient(RetryConfig.ofDefaults()),
      "resilience4j, exponential x 6", resilient(RetryConfig.custom().maxAttempts(6).intervalFunction(IntervalFunction.ofExponentialBackoff()).build()),
      "failsafe", ask -> Failsafe.with(RetryPolicy.ofDefaults()).get(() -> plain(ask)),
      "failsafe, backoff 1 to 30 s, 5 retries", ask -> Failsafe.with(
          RetryPolicy.<Integer>builder().withBackoff(Duration.ofSeconds(1), Duration.ofSeconds(30)).withMaxRetries(5).build()).get(() -> plain(ask)),
      "spring-retry", ask -> new RetryTemplate().execute(context -> plain(ask)),
      "spring-retry, fixed 1 s x 5", ask -> RetryTemplate.builder().maxAttempts(5).fixedBackoff(1000).build().execute(context -> plain(ask)));

  public static void main(String[] args) {
    var call = args.length >= 3 ? clients.get(args[0]) : null;
    if (call == null) {
      System.err.println("Client: no client is called " + (args.length > 0 ? args[0] : ""));
      System.exit(2);
    }
    String outcome = "{\"ok\":true}";
    try {
      call.make(new Ask(args[2], args[1], args.length == 5 ? Integer.parseInt(args[4]) : 0));
    } catch (Exception e) {
      outcome = "{\"ok\":false,\"error\":\"" + String.valueOf(e).replaceAll("[^ -~]|[\"\\\\]", "'") + "\"}";
    }
    System.out.println(outcome);
    System.exit(0);
  }
}
