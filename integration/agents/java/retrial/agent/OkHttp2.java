package retrial.agent;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** OkHttp's HTTP/2: header fields are listed in the thread that makes the call. */
final class OkHttp2 {
  private OkHttp2() {}

  /** The list, with the tag behind it. */
  static Object fields(Object connection, Object list) throws Exception {
    Origin call = Calls.take();
    if (!(list instanceof List) || ((List<?>) list).isEmpty() || !Peer.isOurs(Reach.field(connection, "socket")))
      return list;
    List<Object> all = new ArrayList<>((List<?>) list);
    Constructor<?> field = all.get(0).getClass().getConstructor(String.class, String.class);
    for (Object one : all)
      if (one.toString().startsWith("x-retrial-site")) return list;
    for (Map.Entry<String, String> e : Tag.of(call != null && call.hasSite() ? call : Stack.origin()).entrySet())
      all.add(field.newInstance(e.getKey(), e.getValue()));
    return all;
  }
}
