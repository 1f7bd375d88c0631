/** Runs `task` for every item in `lanes` parallel lanes, each in item order; returns a promise per item. */
export function inParallel<I, R>(items: readonly I[], lanes: number, task: (item: I) => Promise<R>): Promise<R>[] {
  const ends = new Map<number, Promise<unknown>>();
  return items.map((item, index) => {
    const lane = index % lanes;
    const outcome = (ends.get(lane) ?? Promise.resolve()).then(() => task(item));
    // A failed task does not stop its lane; the promise of the item rejects.
    ends.set(
      lane,
      outcome.catch(() => undefined),
    );
    return outcome;
  });
}
