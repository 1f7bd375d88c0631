import { PatientShare } from './patient-share.js';
import type { PendingWrite } from './pending-write.js';
import { type BatchLimits, BatchSelection } from './batch-selection.js';

/**
 * Writes that wait for a batch. One has all prompt writes that are there, and as many patient ones (Requester) beside them as do not make it
 * slow, since the writes that arrive meanwhile wait for its commit.
 */
export class WaitingWrites {
  readonly #prompt: PendingWrite[] = [];
  readonly #patient: PendingWrite[] = [];
  readonly #share = new PatientShare();
  /** The first moment at which one of them may wait no longer. */
  #due = Infinity;
  /** When the first of them was submitted. */
  #oldest = Infinity;

  get length(): number {
    return this.#prompt.length + this.#patient.length;
  }

  add(write: PendingWrite): void {
    this.#queueOf(write).push(write);
    this.#due = Math.min(this.#due, write.since + (write.mayWaitMs ?? 0));
    this.#oldest = Math.min(this.#oldest, write.since);
  }

  /** When a batch has to be sent, if none of its writes waits for longer than this, nor for longer than it may. */
  dueAfter(longestMs: number): number {
    return Math.min(this.#due, this.#oldest + longestMs);
  }

  includes(lock: string): boolean {
    return this.#prompt.some((write) => write.lock === lock) || this.#patient.some((write) => write.lock === lock);
  }

  /** Puts writes of a batch in front of all others, in their order. */
  putBack(batch: readonly PendingWrite[]): void {
    this.#due = -Infinity;
    this.#patient.unshift(...batch.filter(isPatient));
    this.#prompt.unshift(...batch.filter((write) => !isPatient(write)));
  }

  /** Takes the next batch. It is empty if all writes that it might have had were abandoned. */
  next(limits: BatchLimits): PendingWrite[] {
    const selection = new BatchSelection(limits);
    selection.takeFrom(this.#prompt);
    selection.takeFrom(this.#patient, this.#share.items);
    this.#due = this.#oldest = this.length > 0 ? -Infinity : Infinity;
    return selection.batch;
  }

  /** A batch, whose patient writes are the last ones, was committed in this time. */
  took(batch: readonly PendingWrite[], ms: number): void {
    const first = batch.findIndex(isPatient);
    if (first >= 0) this.#share.took(batch.length - first, ms);
  }

  takeAll(): PendingWrite[] {
    this.#due = this.#oldest = Infinity;
    return [...this.#prompt.splice(0), ...this.#patient.splice(0)];
  }

  #queueOf(write: PendingWrite): PendingWrite[] {
    return isPatient(write) ? this.#patient : this.#prompt;
  }
}

function isPatient(write: PendingWrite | undefined): boolean {
  return write?.requester?.isPatient === true;
}
