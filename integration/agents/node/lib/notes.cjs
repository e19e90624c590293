// A note on an object, that nobody else sees, and that goes with it: a private field, at a fraction of what an entry of a
// WeakMap costs.
'use strict';

class Same {
  constructor(object) {
    return object;
  }
}

function notes() {
  return class Noted extends Same {
    #note;
    constructor(object, note) {
      super(object);
      this.#note = note;
    }
    static get(object) {
      return #note in object ? object.#note : undefined;
    }
    static set(object, note) {
      if (#note in object) object.#note = note;
      else new Noted(object, note);
    }
  };
}

module.exports = { notes };
