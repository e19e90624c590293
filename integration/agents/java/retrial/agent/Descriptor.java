package retrial.agent;

import java.util.ArrayList;
import java.util.List;

/** The parameters of a method (JVMS 4.3.3): their types, and the local variables that they are. */
final class Descriptor {
  final List<String> types = new ArrayList<>();
  private final List<Integer> slots = new ArrayList<>();
  final String result;

  Descriptor(String text, boolean isStatic) {
    int slot = isStatic ? 0 : 1, at = 1;
    while (text.charAt(at) != ')') {
      int end = at;
      while (text.charAt(end) == '[') end++;
      end = text.charAt(end) == 'L' ? text.indexOf(';', end) + 1 : end + 1;
      String type = text.substring(at, end);
      types.add(type);
      slots.add(slot);
      slot += type.equals("J") || type.equals("D") ? 2 : 1;
      at = end;
    }
    result = text.substring(at + 1);
  }

  static boolean isReference(String type) { return type.startsWith("L") || type.startsWith("["); }

  /** Of a parameter, from 1; -1 where there is none, or no object. */
  int slot(int parameter) {
    return parameter >= 1 && parameter <= types.size() && isReference(types.get(parameter - 1))
        ? slots.get(parameter - 1)
        : -1;
  }

  /** As a CONSTANT_Class names it. */
  String typeName(int parameter) {
    String type = types.get(parameter - 1);
    return type.startsWith("L") ? type.substring(1, type.length() - 1) : type;
  }
}
