/** Runs `task` for every item, in `lanes` at a time, each in the order of the items; a promise for each outcome. */
export function inParallel<I, R>(items: readonly I[], lanes: number, task: (item: I) => Promise<R>): Promise<R>[] {
  const ends = new Map<number, Promise<unknown>>();
  return items.map((item, index) => {
    const lane = index % lanes;
    const outcome = (ends.get(lane) ?? Promise.resolve()).then(() => task(item));
    // A failed task does not stop its lane; whoever awaits the outcome sees the error.
    ends.set(
      lane,
      outcome.catch(() => undefined),
    );
    return outcome;
  });
}
