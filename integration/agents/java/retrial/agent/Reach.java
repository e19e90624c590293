package retrial.agent;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Fields and methods of classes that are not ours, by name. What is not there is an exception for the hook to tell of.
 */
final class Reach {
  private Reach() {}

  private static final class Members {
    final ConcurrentHashMap<String, Field> fields = new ConcurrentHashMap<>();
    final ConcurrentHashMap<String, Method> methods = new ConcurrentHashMap<>();
  }

  private static final ClassValue<Members> members = new ClassValue<>() {
    @Override
    protected Members computeValue(Class<?> of) {
      return new Members();
    }
  };

  static Object field(Object object, String name) throws ReflectiveOperationException {
    ConcurrentHashMap<String, Field> known = members.get(object.getClass()).fields;
    Field field = known.get(name);
    if (field == null) {
      for (Class<?> c = object.getClass(); c != null && field == null; c = c.getSuperclass())
        for (Field candidate : c.getDeclaredFields())
          if (candidate.getName().equals(name)) field = candidate;
      if (field == null) throw new NoSuchFieldException(object.getClass().getName() + "." + name);
      field.setAccessible(true);
      known.put(name, field);
    }
    return field.get(object);
  }

  /** Of an object: the first of that name that takes these. */
  static Object call(Object object, String name, Object... arguments) throws ReflectiveOperationException {
    return method(object.getClass(), name, arguments).invoke(object, arguments);
  }

  static Object callStatic(Class<?> of, String name, Object... arguments) throws ReflectiveOperationException {
    return method(of, name, arguments).invoke(null, arguments);
  }

  private static Method method(Class<?> of, String name, Object[] arguments) throws NoSuchMethodException {
    ConcurrentHashMap<String, Method> known = members.get(of).methods;
    StringBuilder key = new StringBuilder(name);
    for (Object argument : arguments) key.append('/').append(argument == null ? "" : argument.getClass().getName());
    Method method = known.get(key.toString());
    if (method == null) {
      method = find(of, name, arguments);
      if (method == null) throw new NoSuchMethodException(of.getName() + "." + key);
      method.setAccessible(true);
      known.put(key.toString(), method);
    }
    return method;
  }

  private static Method find(Class<?> of, String name, Object[] arguments) {
    for (Class<?> c = of; c != null; c = c.getSuperclass())
      for (Method m : c.getDeclaredMethods())
        if (m.getName().equals(name) && !m.isBridge() && takes(m.getParameterTypes(), arguments)) return m;
    for (Class<?> c = of; c != null; c = c.getSuperclass())
      for (Class<?> i : c.getInterfaces()) {
        Method m = find(i, name, arguments);
        if (m != null) return m;
      }
    return null;
  }

  private static boolean takes(Class<?>[] parameters, Object[] arguments) {
    if (parameters.length != arguments.length) return false;
    for (int i = 0; i < parameters.length; i++)
      if (arguments[i] != null && !parameters[i].isPrimitive() && !parameters[i].isInstance(arguments[i])) return false;
    return true;
  }
}
