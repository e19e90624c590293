// Right and wrong retry code. `// retry: BOUND WAIT` stands where a location begins; everything else is none.
import java.io.IOException;
import java.util.List;

class Retries {
  private static final int MAX_ATTEMPTS = 5;
  private Client client;

  String right(String url) throws IOException, InterruptedException {
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) { // retry: count growing
      try {
        return client.get(url);
      } catch (IOException e) {
        if (attempt == MAX_ATTEMPTS) throw e;
        Thread.sleep(100L << attempt);
      }
    }
    throw new IllegalStateException();
  }

  String forEver(String url) throws InterruptedException {
    while (true) { // retry: none fixed
      try {
        return client.get(url);
      } catch (Exception e) {
        Thread.sleep(1000);
      }
    }
  }

  void byFlag() {
    boolean sent = false;
    int tries = 0;
    while (!sent && tries < 3) { // retry: count none
      tries++;
      try {
        client.post("/");
        sent = true;
      } catch (IOException e) {
        System.out.println(e);
      }
    }
  }

  String again(String url, int left) throws IOException {
    try {
      return client.get(url);
    } catch (IOException e) {
      if (left == 0) throw e;
      return again(url, left - 1); // retry: count none
    }
  }

  @Retryable(maxAttempts = 4, backoff = @Backoff(delay = 100, multiplier = 2)) // retry: count growing
  String annotated(String url) throws IOException {
    return client.get(url);
  }

  void registerLater() {
    pool.schedule(this::register, 10, TimeUnit.SECONDS);
  }

  void register() {
    try {
      client.register();
    } catch (IOException e) {
      registerLater(); // retry: none fixed
    }
  }

  Connection connected(String url) throws InterruptedException {
    Connection connection = null;
    int tries = 0;
    do { // retry: count growing
      try {
        connection = DriverManager.getConnection(url);
      } catch (SQLException e) {
        tries++;
        TimeUnit.SECONDS.sleep(tries);
      }
    } while (connection == null && tries < 10);
    return connection;
  }

  Object config() {
    return RetryConfig.custom().maxAttempts(3).waitDuration(Duration.ofMillis(500)).build(); // retry: count fixed
  }

  // None of these tries the same again.

  String eachOfSeveral(List<String> urls) {
    for (String url : urls) {
      try {
        return client.get(url);
      } catch (IOException e) {
        continue;
      }
    }
    return null;
  }

  void untilInterrupted(Lock lock) {
    while (true) {
      try {
        lock.acquire();
        return;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  String fromAny(Iterator<String> replicas) throws IOException {
    IOException last = new IOException("none");
    while (replicas.hasNext()) {
      try {
        return client.get(replicas.next());
      } catch (IOException e) {
        last = e;
      }
    }
    throw last;
  }

    void repeats(Request request) throws Failed {
        try {
            answer = client.createTemplate(request);
        } catch (TException e) {
            if (!reconnect()) throw new Failed(e);
            answer = client.createTemplate(request); // retry: count none
        }
        try {
            answer = client.getBackup(request);
        } catch (TException e) {
            reconnect();
            answer = client.getBackup(request); // retry: count none
        }
        try {
            Rpc.verify(client.executeQuery(request));
        } catch (TException e) {
            Rpc.verify(client.executeQuery(request)); // retry: count none
        }
    }

    Route filled(String topic) {
        Route route = this.table.get(topic);
        if (route == null || !route.ok()) {
            this.table.putIfAbsent(topic, new Route());
            route = this.table.get(topic);
        }
        return route;
    }

    void pullOrLater(Request request) {
        try {
            api.pull(request);
        } catch (IOException e) {
            pullLater(request, 3000); // retry: none fixed
        }
    }

    void pullLater(Request request, long millis) {
        scheduler.schedule(() -> pullOrLater(request), millis, TimeUnit.MILLISECONDS);
    }
}
