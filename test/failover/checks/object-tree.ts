import { type Sighting, type WriteRecord, deletedState } from '../history.js';

/** Requests for the same state: a deletion may be sent again when its outcome is unclear. */
interface Node {
  readonly id: string;
  readonly prev: string;
  readonly kind: WriteRecord['kind'];
  readonly requests: WriteRecord[];
}

/**
 * The states of one object, each of which names its predecessor. The states from the first to the final one are the trunk; those lost by
 * failovers are branches.
 */
export class ObjectTree {
  readonly key: string;
  readonly #nodes = new Map<string, Node>();
  /** Positions on the trunk, starting at the first state. */
  readonly #trunk = new Map<string, number>();
  /** Set if the ancestry of the final state ends at a state that no client wrote. */
  readonly unknownPast: string | undefined;

  constructor(key: string, writes: readonly WriteRecord[], final: Sighting | undefined) {
    this.key = key;
    for (const write of writes) this.#add(write);
    const trunk: string[] = [];
    let id = final?.id ?? this.#lastDeletion();
    const seen = new Set<string>();
    while (id !== '-' && this.#nodes.has(id) && !seen.has(id)) {
      seen.add(id);
      trunk.push(id);
      id = this.#nodes.get(id)?.prev ?? '-';
    }
    if (id !== '-') this.unknownPast = id;
    trunk.reverse().forEach((each, at) => this.#trunk.set(each, at));
  }

  /** Acknowledged writes that are not on the trunk. */
  get lost(): readonly WriteRecord[] {
    return this.#acknowledged().filter((write) => !this.#survived(write));
  }

  /** Acknowledged writes that are on the trunk, with their positions. */
  get survivors(): readonly { readonly write: WriteRecord; readonly position: number }[] {
    return this.#acknowledged()
      .filter((write) => this.#survived(write))
      .map((write) => ({ write, position: this.position(write.id) }));
  }

  /** The position of a state on the trunk or, if it was lost, of the state that its branch begins at; -1 is before the first. */
  position(id: string): number {
    const seen = new Set<string>();
    for (let at = id; !seen.has(at); at = this.#before(at)) {
      const position = this.#trunk.get(at);
      if (position !== undefined) return position;
      seen.add(at);
    }
    return -1;
  }

  /** The highest position that the object may have had when a read that ended at `before` did not find it. */
  absentPosition(before: number): number {
    const deletions = [...this.#nodes.values()].filter(
      ({ kind, requests }) => kind === 'delete' && requests.some(({ sentAt }) => sentAt < before),
    );
    return Math.max(-1, ...deletions.map(({ id }) => this.position(id)));
  }

  /**
   * The state before. If a failover loses a creation, its owner finds nothing and takes the created state for deleted: before such a deletion,
   * which nobody made, is what was before the creation.
   */
  #before(id: string): string {
    const node = this.#nodes.get(id) ?? this.#nodes.get(deletedState(id) ?? '-');
    return node?.prev ?? '-';
  }

  #add(write: WriteRecord): void {
    if (write.outcome === 'refused') return;
    const { id, prev, kind } = write;
    const node = this.#nodes.get(id);
    if (node) node.requests.push(write);
    else this.#nodes.set(id, { id, prev, kind, requests: [write] });
  }

  #acknowledged(): WriteRecord[] {
    return this.#requests().filter(({ outcome }) => outcome === 'acknowledged');
  }

  /** A state can be deleted a second time only if the first deletion was lost, so the last of several deletions counts. */
  #survived(write: WriteRecord): boolean {
    const same = this.#nodes.get(write.id)?.requests.filter(({ outcome }) => outcome === 'acknowledged');
    return this.#trunk.has(write.id) && same?.at(-1) === write;
  }

  #requests(): WriteRecord[] {
    return [...this.#nodes.values()].flatMap(({ requests }) => requests);
  }

  /** For an object missing at the end: the deletion that was sent last. */
  #lastDeletion(): string {
    const deletions = this.#requests().filter(({ kind }) => kind === 'delete');
    return deletions.sort((a, b) => a.sentAt - b.sentAt).at(-1)?.id ?? '-';
  }
}

/** A tree for each object that was written. */
export function objectTrees(writes: readonly WriteRecord[], final: ReadonlyMap<string, Sighting>): Map<string, ObjectTree> {
  const byKey = Map.groupBy(writes, ({ key }) => key);
  return new Map([...byKey].map(([key, own]) => [key, new ObjectTree(key, own, final.get(key))]));
}
