/** Combines the results of several backends or batches; a promise only if one of them is. */
export function allStored(results: readonly (boolean | Promise<boolean>)[]): boolean | Promise<boolean> {
  const pending = results.filter((result) => result instanceof Promise);
  const stored = results.every((result) => result !== false);
  return pending.length === 0 ? stored : Promise.all(pending).then((all) => stored && all.every(Boolean));
}
