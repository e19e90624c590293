package retrial.agent;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.ConcurrentHashMap;

/** By identity, and as long as the key lives. Any thread. */
final class WeakMap<V> {
  private static class Key extends WeakReference<Object> {
    private final int hash;

    Key(Object of, ReferenceQueue<Object> queue) {
      super(of, queue);
      hash = System.identityHashCode(of);
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      if (this == other) return true;
      Object mine = get();
      return mine != null && other instanceof Key && ((Key) other).get() == mine;
    }
  }

  private final ReferenceQueue<Object> gone = new ReferenceQueue<>();
  private final ConcurrentHashMap<Key, V> values = new ConcurrentHashMap<>();

  V get(Object key) { return values.get(new Key(key, null)); }

  void put(Object key, V value) {
    for (Reference<?> old; (old = gone.poll()) != null;) values.remove(old);
    values.put(new Key(key, gone), value);
  }
}
