import { createReadStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Plain } from '../question.js';

/** An event of a request, and its place among those with the same id. */
export interface LoggedEvent extends Plain {
  readonly auditID: string;
  readonly stage: string;
}

const POLL_MS = 15;
const PATIENCE_MS = 4000;

/** Whether no event of the request follows. A request without a user has only this one. */
function isLast({ stage, user }: LoggedEvent): boolean {
  return stage === 'ResponseComplete' || stage === 'Panic' || (stage === 'ResponseStarted' && Object.keys(user as object).length === 0);
}

/** The audit log of a server, read as it grows. */
export class AuditLog {
  readonly #file: string;
  readonly #events = new Map<string, LoggedEvent[]>();
  readonly #ended = new Set<string>();
  #read = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Takes the events of requests from the log, by id, once each request has its last event or has had time for it. */
  async take(ids: readonly string[]): Promise<Map<string, readonly LoggedEvent[]>> {
    const deadline = Date.now() + PATIENCE_MS;
    await this.#readOn();
    while (ids.some((id) => !this.#ended.has(id)) && Date.now() < deadline) {
      await sleep(POLL_MS);
      await this.#readOn();
    }
    const found = new Map(ids.map((id) => [id, this.#events.get(id) ?? []]));
    // Others are those of the set-up and of the server itself.
    this.#events.clear();
    return found;
  }

  async #readOn(): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of createReadStream(this.#file, { start: this.#read })) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    // A line may be incomplete, and so may a character.
    const end = bytes.lastIndexOf(10) + 1;
    this.#read += end;
    for (const line of bytes.toString('utf8', 0, end).split('\n')) if (line !== '') this.#note(JSON.parse(line) as LoggedEvent);
  }

  #note(event: LoggedEvent): void {
    const known = this.#events.get(event.auditID);
    if (known) known.push(event);
    else this.#events.set(event.auditID, [event]);
    if (isLast(event)) this.#ended.add(event.auditID);
  }
}
