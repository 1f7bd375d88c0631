import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * How many answers of each connection of HTTP/1.1 are under way. A client may send requests without waiting for answers, and node:http
 * starts them all; their number is bounded here, as HTTP/2 bounds streams.
 */
export class PipelinedAnswers {
  readonly #limit: number;
  readonly #open = new WeakMap<Socket, { count: number }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** False for one too many, which ends its connection. */
  begin(socket: Socket, response: ServerResponse): boolean {
    let open = this.#open.get(socket);
    if (!open) this.#open.set(socket, (open = { count: 0 }));
    if (open.count >= this.#limit) {
      socket.destroy();
      return false;
    }
    const answers = open;
    answers.count++;
    response.once('close', () => answers.count--);
    return true;
  }
}
