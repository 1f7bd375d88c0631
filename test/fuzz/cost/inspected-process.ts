import { once } from 'node:events';
import { WebSocket } from 'ws';

interface Usage {
  readonly cpuMicros: number;
  /** Heap and memory outside of it. */
  readonly bytes: number;
}

interface Answer {
  readonly id?: number;
  readonly result?: { readonly result?: { readonly value?: string } };
}

const USAGE = `(() => {
  const { user, system } = process.cpuUsage();
  const { heapUsed, external } = process.memoryUsage();
  return JSON.stringify({ cpuMicros: user + system, bytes: heapUsed + external });
})()`;

/** A Node process started with `--inspect`: exact figures from the process itself, on request after a garbage collection. */
export class InspectedProcess {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #next = 1;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#take(JSON.parse(data.toString()) as Answer));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      for (const answer of this.#waiting.values()) answer({});
    });
  }

  /** `url` is what Node prints after "Debugger listening on". */
  static async connect(url: string): Promise<InspectedProcess> {
    const socket = new WebSocket(url);
    await once(socket, 'open');
    return new InspectedProcess(socket);
  }

  /** Returns undefined if the process has ended. */
  async usage(): Promise<Usage | undefined> {
    const value = await this.evaluate(USAGE);
    return value === undefined ? undefined : (JSON.parse(value) as Usage);
  }

  /** The text that an expression gives in the process; undefined if it gives none, or the process has ended. */
  async evaluate(expression: string): Promise<string | undefined> {
    const { result } = await this.#call('Runtime.evaluate', { expression });
    return result?.result?.value;
  }

  async collectGarbage(): Promise<void> {
    // The second collection frees what finalizers released.
    for (let round = 0; round < 2; round++) await this.#call('HeapProfiler.collectGarbage', {});
  }

  close(): void {
    this.#socket.terminate();
  }

  #call(method: string, params: object): Promise<Answer> {
    if (this.#socket.readyState !== WebSocket.OPEN) return Promise.resolve({});
    const id = this.#next++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  #take(answer: Answer): void {
    if (answer.id === undefined) return;
    this.#waiting.get(answer.id)?.(answer);
    this.#waiting.delete(answer.id);
  }
}
