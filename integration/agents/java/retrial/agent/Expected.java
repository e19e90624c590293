package retrial.agent;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** What a test expects to be thrown, and is: whoever it calls told of a failure. */
final class Expected {
  private Expected() {}

  /** A function of one method, that tells of what the given one throws. */
  static Object telling(Object function) {
    if (function == null) return null;
    Class<?>[] interfaces = function.getClass().getInterfaces();
    if (interfaces.length != 1) return function;
    return Proxy.newProxyInstance(interfaces[0].getClassLoader(), interfaces, (proxy, method, arguments) -> {
      try {
        method.setAccessible(true);
        return method.invoke(function, arguments);
      } catch (InvocationTargetException thrown) {
        tell(thrown.getCause());
        throw thrown.getCause();
      }
    });
  }

  private static void tell(Throwable thrown) {
    String id = Current.test()[0];
    if (id != null) Events.write(new Json("expected").put("id", id).raw("chain", Chain.of(thrown)));
  }
}
