package demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Suites of each runner; `ask` sends a request whose path says where it was sent. */
public class Suites {
  /** An application's own error, which says its status by a field alone. */
  static final class Refused extends RuntimeException {
    private final int status = 503;

    Refused(String message, Throwable cause) {
      super(message, cause);
    }
  }

  static void ask(String where) throws IOException {
    ((HttpURLConnection) new URL(System.getenv("SERVICE") + "/" + where).openConnection()).getResponseCode();
  }

  public static class Jupiter {
    @BeforeAll
    static void all() throws IOException {
      ask("all");
    }

    @BeforeEach
    void before() throws IOException {
      ask("before");
    }

    @AfterEach
    void after() throws IOException {
      ask("after");
    }

    @Test
    void good() throws IOException {
      ask("good");
    }

    @Test
    void expects() {
      org.junit.jupiter.api.Assertions.assertThrows(IOException.class, () -> { throw new IOException("503"); });
    }

    @Test
    void wrong() throws IOException {
      assertEquals(1, 2, "not so");
    }

    @Test
    void chained() {
      try {
        throw new IOException("inner");
      } catch (IOException error) {
        throw new Refused("outer", error);
      }
    }

    @Test
    @Disabled
    void left_out() {
      fail("never runs");
    }

    @Test
    @Timeout(value = 1, unit = TimeUnit.MILLISECONDS)
    void limited() throws Exception {
      new java.util.concurrent.CountDownLatch(1).await(100, TimeUnit.MILLISECONDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "ü %"})
    void many(String value) throws IOException {
      ask("many");
    }

    @TestFactory
    Stream<DynamicTest> made() {
      return Stream.of(DynamicTest.dynamicTest("x", () -> ask("made")));
    }

    @Nested
    class Deep {
      @Test
      void deeper() throws IOException {
        ask("deeper");
      }
    }
  }

  public static class NeverSetUp {
    @BeforeAll
    static void all() {
      throw new IllegalStateException("no service");
    }

    @Test
    void one() {}
  }

  public static class Four {
    @org.junit.BeforeClass
    public static void all() throws IOException {
      ask("all");
    }

    @org.junit.Test
    public void good() throws IOException {
      ask("good");
    }

    @org.junit.Test
    public void wrong() {
      org.junit.Assert.assertEquals(1, 2);
    }

    @org.junit.Test
    @org.junit.Ignore
    public void left_out() {}
  }

  public static class Ng {
    @org.testng.annotations.BeforeClass
    public void all() throws IOException {
      ask("all");
    }

    @org.testng.annotations.Test
    public void good() throws IOException {
      ask("good");
    }

    @org.testng.annotations.Test
    public void wrong() {
      throw new IllegalStateException("outer", new IOException("inner"));
    }
  }
}
