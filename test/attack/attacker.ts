import { once } from 'node:events';
import { type TLSSocket, connect } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../fuzz/random.js';
import { RawHttp1 } from './wire/raw-http1.js';
import { type RawHttp2Options, RawHttp2 } from './wire/raw-http2.js';
import { TrafficMeter } from './wire/traffic-meter.js';

const HANDSHAKE_MS = 10_000;
/** Pause before an ended connection is replaced, so that the attack does not consist of handshakes. */
const PAUSE_MS = 250;
const STEP_MS = 50;

export interface AttackerOptions {
  readonly url: string;
  readonly seed: number;
  readonly seconds: number;
  /** Whether the target is a server other than this project's. */
  readonly isForeign: boolean;
}

/** What an attack needs: time, random numbers, counted connections, and notes for the report. */
export class Attacker {
  readonly random: Random;
  readonly meter = new TrafficMeter();
  /** Figures specific to one attack, by name. */
  readonly notes: Record<string, number> = {};
  readonly isForeign: boolean;
  readonly url: string;
  readonly #port: number;
  readonly #until: number;
  readonly #sockets = new Set<TLSSocket>();

  constructor({ url, seed, seconds, isForeign }: AttackerOptions) {
    this.random = new Random(seed);
    this.isForeign = isForeign;
    this.url = url;
    this.#port = Number(new URL(url).port);
    this.#until = Date.now() + seconds * 1000;
  }

  get isOver(): boolean {
    return Date.now() >= this.#until;
  }

  async http2(options: RawHttp2Options = {}): Promise<RawHttp2> {
    return new RawHttp2(await this.#connect('h2'), this.meter, options);
  }

  async http1(options: { readonly reads?: boolean } = {}): Promise<RawHttp1> {
    return new RawHttp1(await this.#connect('http/1.1'), this.meter, options);
  }

  /** Waits, but no longer than the attack lasts. */
  async pause(ms: number): Promise<void> {
    await sleep(Math.max(0, Math.min(ms, this.#until - Date.now())));
  }

  /** Waits until the server has ended the connection or the attack is over. */
  async hold(connection: { readonly isOver: boolean }): Promise<void> {
    while (!connection.isOver && !this.isOver) await this.pause(STEP_MS);
  }

  /** Repeats the work on `count` parallel lanes until the attack is over. */
  async lanes(count: number, work: (lane: number) => Promise<void>): Promise<void> {
    const drive = async (lane: number) => {
      while (!this.isOver) {
        try {
          await work(lane);
        } catch {
          this.meter.refused++;
        }
        await this.pause(PAUSE_MS + this.random.below(PAUSE_MS));
      }
    };
    await Promise.all(Array.from({ length: count }, (_, lane) => drive(lane)));
  }

  /** Acts `perSecond` times a second until the connection or the attack is over, in steps of 50 ms. */
  async atRate(perSecond: number, connection: { readonly isOver: boolean }, act: (index: number) => void | Promise<void>): Promise<void> {
    const goesOn = () => !this.isOver && !connection.isOver;
    const started = Date.now();
    for (let done = 0; goesOn();) {
      const due = Math.ceil(((Date.now() - started + STEP_MS) / 1000) * perSecond);
      // Actions missed while the server was stalled are not made up for.
      if (due - done > perSecond) done = due - perSecond;
      for (; done < due && goesOn(); done++) await act(done);
      await this.pause(STEP_MS);
    }
  }

  note(name: string, value: number): void {
    this.notes[name] = (this.notes[name] ?? 0) + value;
  }

  closeAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #connect(protocol: string): Promise<TLSSocket> {
    const socket = connect({ port: this.#port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: [protocol] });
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.setTimeout(HANDSHAKE_MS, () => socket.destroy(new Error('no handshake in time')));
    await once(socket, 'secureConnect');
    socket.setTimeout(0);
    socket.on('error', () => socket.destroy());
    this.meter.connections++;
    return socket;
  }
}
