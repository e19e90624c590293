package retrial.agent;

/** One change of one method of a class that is being loaded: a call of `Hooks`, put where `kind` says. */
final class Edit {
  enum Kind {
    ENTER, // at its start: Hooks.enter(this, that parameter, that one, id)
    REPLACE, // at its start: the parameter becomes what Hooks.replace(this, parameter, id) gives
    WRITE, // at the start of write(byte[], int, int): the three become what Hooks.write(this, bytes, offset, length)
           // gives
    LEAVE, // before it returns an object: Hooks.enter(this, that object, null, id)
  }

  final String type, method, startsWith; // the last: how its descriptor begins
  final Kind kind;
  final int id, first, second; // parameters, from 1; 0: none

  /** `type` as in a class file: java/lang/Thread. */
  Edit(Kind kind, String type, String method, String startsWith, int id, int first, int second) {
    this.type = type;
    this.method = method;
    this.startsWith = startsWith;
    this.kind = kind;
    this.id = id;
    this.first = first;
    this.second = second;
  }

  boolean isOf(String name, String descriptor) { return name.equals(method) && descriptor.startsWith(startsWith); }
}
