package demo;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.rules.TestRule;

/** Compiled as tests are; a comment names what the line of a test asks. */
public class Statements {
  static void helper() throws IOException { Suites.ask("helper"); }

  @ExtendWith(Around.class)
  public static class Jupiter {
    @BeforeAll
    static void shared() throws IOException {
      Suites.ask("shared");
    }

    @Test
    void asks() throws Exception {
      Suites.ask("one"); // one
      Suites.ask("two"); // two
      for (int i = 0; i < 2; i++) Suites.ask("loop"); // loop
      helper(); // helper
      helper(); // helper
      Runnable asking = new com.library.Asking(System.getenv("SERVICE") + "/handed-over");
      ExecutorService pool = Executors.newFixedThreadPool(1);
      pool.submit(() -> 0).get();
      pool.submit(asking).get(); // handed-over
      pool.submit(asking).get(); // handed-over
      CompletableFuture.runAsync(asking, pool).join(); // handed-over
      Chains.thread(asking); // handed-over
      Chains.pool(new com.library.Asking(System.getenv("SERVICE") + "/pools")); // pools
      pool.submit(() -> {
        Suites.ask("own"); // own
        return 0;
      }).get();
      pool.shutdown();
    }
  }

  public static class Around implements InvocationInterceptor {
    @Override
    public void interceptTestMethod(Invocation<Void> test, ReflectiveInvocationContext<Method> method,
        ExtensionContext context) throws Throwable {
      test.proceed();
    }
  }

  public static class Four {
    @org.junit.Rule
    public TestRule around = (test, description) -> new org.junit.runners.model.Statement() {
      @Override
      public void evaluate() throws Throwable {
        test.evaluate();
      }
    };

    @org.junit.Test
    public void asks() throws Exception {
      Suites.ask("one-of-four"); // one-of-four
      Suites.ask("two-of-four"); // two-of-four
    }
  }

  public static class Ng {
    @org.testng.annotations.Test
    public void asks() throws Exception {
      Suites.ask("one-of-ng"); // one-of-ng
      Suites.ask("two-of-ng"); // two-of-ng
    }
  }
}
