/** An object with some methods of its own in place of those of another, which has all others. */
export function withMethods<T extends object>(inner: T, own: Partial<T>): T {
  return new Proxy(inner, {
    get: (target, name) => {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name) as unknown;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
