package demo;

import java.net.URL;

/** Within WAY URL: a test's class, which asks by itself, or by the application's functions. */
public final class Within {
  public static void main(String[] arguments) throws Exception {
    String url = arguments[1];
    switch (arguments[0]) {
      case "itself": new URL(url).openConnection().getInputStream().close(); break;
      case "functions": Chains.track(url); break;
      case "pools": Chains.pools(url); break;
      default: Chains.thread(() -> {
        try {
          Chains.track(url);
        } catch (java.io.IOException error) {
          throw new IllegalStateException(error);
        }
      });
    }
  }
}
