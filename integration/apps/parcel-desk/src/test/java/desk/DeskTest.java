package desk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeskTest {
  static Depot depot;

  @BeforeAll
  static void open() throws Exception {
    depot = new Depot();
  }

  @AfterAll
  static void close() {
    depot.close();
  }

  @Test
  void a_label_is_printed() throws Exception {
    assertEquals("{\"label\": \"L1\"}", new Labels(depot.uri()).print("7"));
  }

  @ParameterizedTest
  @ValueSource(ints = {300, 900})
  @Timeout(value = 30, unit = TimeUnit.SECONDS)
  void a_parcel_has_its_rate(int grams) throws Exception {
    assertEquals("{\"cents\": 490}", new Rates(depot.uri()).of(grams));
  }

  @Nested
  class OnItsWay {
    @Test
    void a_parcel_is_found() throws Exception {
      assertEquals("{\"at\": \"depot 4\"}", new Tracking(depot.uri()).find("7").get());
    }
  }

  @Test
  void a_pickup_is_booked() throws Exception {
    assertTrue(new Pickups(depot.uri()).book("monday").contains("pickup"));
  }
}
