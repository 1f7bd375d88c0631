/**
 * Goes on with a value that is there now or later. Most values of a request are there, and a promise for each would cost a renewal several
 * turns of the microtask queue. What `next` throws is thrown here if the value is there, and else rejects the promise, as `onError` does.
 */
export function whenReady<T, R>(
  value: T | Promise<T>,
  next: (value: T) => R | Promise<R>,
  onError?: (error: unknown) => R | Promise<R>,
): R | Promise<R> {
  return value instanceof Promise ? value.then(next, onError) : next(value);
}

/** The same for what `ask` answers; `onError` also gets what it throws. */
export function whenAnswered<T, R>(
  ask: () => T | Promise<T>,
  next: (answer: T) => R | Promise<R>,
  onError: (error: unknown) => R | Promise<R>,
): R | Promise<R> {
  let answer: T | Promise<T>;
  try {
    answer = ask();
  } catch (error) {
    return onError(error);
  }
  return whenReady(answer, next, onError);
}
