import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

export interface FloodOptions {
  readonly url: string;
  readonly token: string;
  readonly namespace: string;
  readonly connections: number;
  readonly streams: number;
}

export interface Flood {
  /** Ends it and returns how often each status was received. */
  stop(): Promise<Readonly<Record<string, number>>>;
}

/** Starts a flooder (flooder.ts); resolves once it floods. */
export async function startFlood({ url, token, namespace, connections, streams }: FloodOptions): Promise<Flood> {
  const script = ['--import', './test/support/register-typescript.mjs', 'test/load/flooder.ts'];
  const child = spawn(process.execPath, [...script, url, token, namespace, String(connections), String(streams)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const exited = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exited]);
  return {
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      return JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as Record<string, number>;
    },
  };
}
