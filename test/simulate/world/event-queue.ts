import type { SimulatedProcess } from './simulated-process.js';

export interface QueuedEvent {
  at: number;
  /** When it was first due: delayed events of a paused process run in this order. */
  readonly due: number;
  readonly order: number;
  readonly owner: SimulatedProcess | undefined;
  run: (() => void) | undefined;
}

/** A heap of events ordered by time, then by when they were first due, then by when they were scheduled. */
export class EventQueue {
  readonly #heap: QueuedEvent[] = [];

  push(event: QueuedEvent): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  pop(): QueuedEvent | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: QueuedEvent, b: QueuedEvent): boolean {
  return a.at !== b.at ? a.at < b.at : a.due !== b.due ? a.due < b.due : a.order < b.order;
}
