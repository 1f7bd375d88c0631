// What `@jest/globals` is for test files. Modules outlive a test file, and each file has a circus of its own: these bindings follow it.

export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test;

export function setGlobals(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globals);
}
