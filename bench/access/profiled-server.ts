import { readFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import type { Subject } from '../contenders/contender.js';
import { freePortFor } from '../contenders/free-port.js';
import { startOwnServer } from '../contenders/own-server.js';

interface CpuProfile {
  readonly nodes: readonly { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Reported frames: functions in files whose path has this ending. */
const FRAMES: readonly (readonly [label: string, functionName: string, file: string])[] = [
  ['authentication', 'authenticate', 'metered-authenticator.js'],
  ['authorization', 'authorize', 'metered-authorizer.js'],
  ['of that RBAC', 'authorize', 'rbac-authorizer.js'],
];

/** USER_HZ is 100 wherever Node runs. */
const MICROS_PER_TICK = 10_000;

export interface ProfiledServer extends Subject {
  readonly profile: {
    start(): Promise<void>;
    /** Microseconds of CPU by label, scaled to the thread's own CPU time, since a profile includes other processes' time. */
    stop(): Promise<[string, number][]>;
  };
}

/** A server whose CPU can be profiled for a while. */
export async function profiledServer(flags: readonly string[]): Promise<ProfiledServer> {
  const port = await freePortFor();
  const server = await startOwnServer({ flags, nodeFlags: [`--inspect=127.0.0.1:${port}`] });
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  const { call, socket } = await debuggerOf(target?.webSocketDebuggerUrl ?? '');
  let usedBefore = 0;
  return {
    ...server,
    stop: () => {
      socket.close();
      return server.stop();
    },
    profile: {
      start: async () => {
        await call('Profiler.enable');
        await call('Profiler.setSamplingInterval', { interval: 100 });
        await call('Profiler.start');
        usedBefore = threadMicros(server.processes?.server[0]);
      },
      stop: async () => {
        const used = threadMicros(server.processes?.server[0]) - usedBefore;
        const { profile } = (await call('Profiler.stop')) as { profile: CpuProfile };
        const scale = used / busy(profile);
        const frames = FRAMES.map(([label, name, file]): [string, number] => [label, timeIn(profile, name, file) * scale]);
        return [...frames, ['everything on its thread', used]];
      },
    },
  };
}

type Call = (method: string, params?: object) => Promise<unknown>;

async function debuggerOf(url: string): Promise<{ call: Call; socket: WebSocket }> {
  const socket = new WebSocket(url, { maxPayload: 1024 * 1024 * 1024 });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const waiting = new Map<number, (result: unknown) => void>();
  socket.on('message', (data: Buffer) => {
    const { id, result } = JSON.parse(data.toString()) as { id: number; result: unknown };
    waiting.get(id)?.(result);
  });
  let last = 0;
  const call: Call = (method, params = {}) =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  return { call, socket };
}

/** The time in a function and everything it calls. */
function timeIn(profile: CpuProfile, name: string, file: string): number {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const below = new Set<number>();
  const add = (id: number): void => {
    below.add(id);
    for (const child of byId.get(id)?.children ?? []) add(child);
  };
  for (const { id, callFrame } of profile.nodes) if (callFrame.functionName === name && callFrame.url.endsWith(file)) add(id);
  return sum(profile, (id) => below.has(id));
}

function busy(profile: CpuProfile): number {
  const idle = new Set(profile.nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)').map(({ id }) => id));
  return sum(profile, (id) => !idle.has(id));
}

function sum({ samples, timeDeltas }: CpuProfile, counts: (id: number) => boolean): number {
  return samples.reduce((all, id, at) => (counts(id) ? all + (timeDeltas[at] ?? 0) : all), 0);
}

/** The CPU time used by the main thread of a process (Linux). */
function threadMicros(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid ?? 'self'}/task/${pid ?? 'self'}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK;
}
