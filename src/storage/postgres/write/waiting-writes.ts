import { PatientShare } from './patient-share.js';
import type { PendingWrite } from './pending-write.js';
import type { BatchLimits } from './select-batch.js';
import { selectBatch } from './select-batch.js';

/**
 * Writes that wait for a batch. Patient ones (Requester) have batches of their own, short ones, in turn with those of the others. So
 * neither kind waits for more than one batch of the other.
 */
export class WaitingWrites {
  readonly #prompt: PendingWrite[] = [];
  readonly #patient: PendingWrite[] = [];
  readonly #share = new PatientShare();
  /** Whether the last batch was one of the others. */
  #isPatientsTurn = false;

  get length(): number {
    return this.#prompt.length + this.#patient.length;
  }

  add(write: PendingWrite): void {
    this.#queueOf(write).push(write);
  }

  /** Puts writes of a batch in front of all others, in their order. */
  putBack(batch: readonly PendingWrite[]): void {
    this.#patient.unshift(...batch.filter(isPatient));
    this.#prompt.unshift(...batch.filter((write) => !isPatient(write)));
  }

  /** Takes the next batch. It is empty if all writes that it might have had were abandoned. */
  next(limits: BatchLimits): PendingWrite[] {
    const isPatients = this.#patient.length > 0 && (this.#isPatientsTurn || this.#prompt.length === 0);
    this.#isPatientsTurn = !isPatients;
    if (!isPatients) return selectBatch(this.#prompt, limits);
    return selectBatch(this.#patient, { ...limits, items: Math.min(limits.items, this.#share.items) });
  }

  /** A batch was committed in this time. */
  took(batch: readonly PendingWrite[], ms: number): void {
    if (isPatient(batch[0])) this.#share.took(batch.length, ms);
  }

  takeAll(): PendingWrite[] {
    return [...this.#prompt.splice(0), ...this.#patient.splice(0)];
  }

  #queueOf(write: PendingWrite): PendingWrite[] {
    return isPatient(write) ? this.#patient : this.#prompt;
  }
}

function isPatient(write: PendingWrite | undefined): boolean {
  return write?.requester?.isPatient === true;
}
