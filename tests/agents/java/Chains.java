package demo;

import java.io.IOException;
import java.net.URL;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;

/** Chains WAY URL: asks once, by functions that call one another as the way's name says. */
public final class Chains {
  static int ask(String url) throws IOException { return new URL(url).openConnection().getInputStream().read(); }

  static int send(String url) throws IOException { return ask(url); }

  static int track(String url) throws IOException { return send(url); }

  static int recursive(String url, int n) throws IOException { return n == 0 ? ask(url) : recursive(url, n - 1); }

  static int mutual(String url, int n) throws IOException { return n == 0 ? ask(url) : other(url, n - 1); }

  static int other(String url, int n) throws IOException { return mutual(url, n); }

  static int lambda(String url) throws Exception {
    Callable<Integer> asking = () -> ask(url);
    return asking.call();
  }

  static int thread(Runnable task) throws Exception {
    var thread = new Thread(task);
    thread.start();
    thread.join();
    return 0;
  }

  static int pool(Callable<Integer> task) throws Exception {
    var pool = Executors.newFixedThreadPool(1);
    pool.submit(() -> 0).get();
    pool.submit(task).get();
    pool.shutdown();
    return 0;
  }

  static int pools(String url) throws Exception { return pool(() -> pool(() -> send(url))); }

  static int future(String url) {
    return CompletableFuture
        .supplyAsync(() -> {
          try {
            return send(url);
          } catch (IOException error) {
            throw new IllegalStateException(error);
          }
        })
        .join();
  }

  static int futureOfAPool(Runnable task) {
    var pool = Executors.newFixedThreadPool(1);
    CompletableFuture.runAsync(task, pool).join();
    pool.shutdown();
    return 0;
  }

  static int looping(String url) {
    for (int i = 0;; i++) {
      try {
        return send(url);
      } catch (IOException error) {
        if (i == 3) throw new IllegalStateException(error);
      }
    }
  }

  static int loopingItself(String url) throws IOException {
    int answer;
    do {
      answer = new URL(url).openConnection().getInputStream().read();
    } while (answer == 'x');
    return answer;
  }

  static int choosing(String url) throws IOException {
    for (String one : new String[] {"a", "b"}) {
      switch (one) {
        case "a": continue;
        case "b": break;
        default: return 0;
      }
    }
    return send(url);
  }

  static int ask(String way, String url) throws Exception {
    switch (way) {
      case "functions": return track(url);
      case "recursive": return recursive(url, 3);
      case "mutual": return mutual(url, 3);
      case "lambda": return lambda(url);
      case "thread": return thread(new com.library.Asking(url));
      case "pool": return pool(new com.library.Asking(url));
      case "pools": return pools(url);
      case "future": return future(url);
      case "future-of-a-pool": return futureOfAPool(new com.library.Asking(url));
      case "looping": return looping(url);
      case "looping-itself": return loopingItself(url);
      case "choosing": return choosing(url);
      default: throw new IllegalArgumentException(way);
    }
  }

  public static void main(String[] arguments) throws Exception { ask(arguments[0], arguments[1]); }
}
