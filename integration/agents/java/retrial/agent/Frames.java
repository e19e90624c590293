package retrial.agent;

import java.util.ArrayList;
import java.util.List;

/** The chain of a request (docs/agents.md): the application's functions from it outwards up to the test, each once. */
final class Frames {
  private static final int MOST = 8, BYTES = 1024; // the latter of callers, as they are sent

  private final List<Frame> frames = new ArrayList<>(MOST);
  private int size;

  /** False: it ends here. */
  boolean add(Frame frame) {
    for (Frame known : frames)
      if (known.isSameFunction(frame)) return true;
    if (!frames.isEmpty()) {
      size += frame.asCaller().length() + 1;
      if (frame.isTest || frames.size() == MOST || size > BYTES) return false;
    }
    frames.add(frame);
    return !frame.isTest;
  }

  /** Behind those of this thread come those of whoever handed its work over. */
  void addAll(Frame[] before) {
    for (Frame frame : before)
      if (!add(frame)) return;
  }

  boolean isEmpty() { return frames.isEmpty(); }

  Frame[] all() { return frames.toArray(new Frame[0]); }
}
