import { setTimeout as sleep } from 'node:timers/promises';
import type { Attacker } from '../../attack/attacker.js';
import type { CostSequence, Step } from './cost-sequence.js';
import { Http1Steps } from './http1-steps.js';
import { Http2Steps } from './http2-steps.js';
import type { Work } from './cost-bounds.js';

/** Sends the sequence on all its connections concurrently and leaves them open; returns the work it was for the server. */
export async function playSequence(sequence: CostSequence, attacker: Attacker): Promise<Work> {
  const played = await Promise.all(Array.from({ length: sequence.connections }, () => playOne(sequence, attacker)));
  const sum = (of: 'requests' | 'writes') => played.reduce((all, each) => all + each[of], 0);
  const { bytesSent, connections } = attacker.meter;
  return { bytes: bytesSent, connections, requests: sum('requests'), writes: sum('writes') };
}

async function playOne(sequence: CostSequence, attacker: Attacker): Promise<{ readonly requests: number; readonly writes: number }> {
  const { initialWindow, reads, protocol } = sequence;
  if (protocol === 'http/1.1') return play(sequence.steps, new Http1Steps(await attacker.http1({ reads })));
  const connection = await attacker.http2({ initialWindow });
  // The server's limits are known once its settings have arrived.
  await connection.answered(1, 20);
  if (!reads) connection.vanish();
  return play(sequence.steps, new Http2Steps(connection));
}

async function play<T extends { send(step: Step): Promise<void> }>(steps: readonly Step[], sender: T): Promise<T> {
  for (const step of steps) {
    if (step.kind === 'pause') await sleep(step.size);
    else await sender.send(step);
  }
  return sender;
}
