import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { printableJson } from '../../../src/apimachinery/text/printable.js';
import type { Lock } from '../../lease-lock/src/held-lock.js';
import { LockError } from '../../lease-lock/src/lock-options.js';
import { type LeaseSource, shown } from './lease-source.js';
import type { SessionLeases } from './session-leases.js';

const NAME = z
  .string()
  .max(230)
  .regex(/^[a-z0-9.-]+$/, 'must consist of lower-case letters, digits, "-" and "."')
  .describe('Name of the lease, for what is worked on: lower-case letters, digits, "-" and ".".');
const NAMESPACE = z
  .string()
  .max(63)
  .regex(/^[a-z0-9-]+$/, 'must consist of lower-case letters, digits and "-"')
  .optional()
  .describe('Namespace of the lease; by default that of the kubeconfig, or default.');
const DURATION = z
  .number()
  .min(5)
  .max(600)
  .default(60)
  .describe('Seconds for which others wait if this session dies; the lease is renewed while it lives.');
/** Clients give a request up after a minute. */
const WAIT = z.number().min(1).max(50).default(30).describe('How many seconds to wait.');
const READ_MS = 10_000;
const LONGEST_ERROR = 500;

type Answer = (work: () => Promise<object>) => Promise<CallToolResult>;

/** Adds the tools. An error is a result that the agent reads; it is written to stderr too. */
export function addTools(
  server: McpServer,
  leases: SessionLeases,
  source: () => Promise<LeaseSource>,
  complain: (line: string) => void,
): void {
  const answer: Answer = async (work) => {
    try {
      const result = (await work()) as Record<string, unknown>;
      return { content: [{ type: 'text', text: printableJson(JSON.stringify(result)) }], structuredContent: result };
    } catch (error) {
      const { message } = error as Error;
      if (!(error instanceof LockError) || error.why !== 'not-acquired') complain(message);
      return { content: [{ type: 'text', text: shown(message, LONGEST_ERROR) }], isError: true };
    }
  };
  server.registerTool(
    'take_lease',
    {
      description: 'Take a lease if it is free. The error names the holder if it is not.',
      inputSchema: { name: NAME, namespace: NAMESPACE, duration: DURATION },
    },
    ({ name, namespace, duration }, { signal }) =>
      answer(async () => describe(await leases.take({ name, namespace, durationMs: duration * 1000, waitMs: 0, signal }))),
  );
  server.registerTool(
    'wait_for_lease',
    {
      description: 'Wait until a lease is free, and take it. Waiters are served first come, first served.',
      inputSchema: { name: NAME, namespace: NAMESPACE, duration: DURATION, wait: WAIT },
    },
    ({ name, namespace, duration, wait }, { signal }) =>
      answer(async () => describe(await leases.take({ name, namespace, durationMs: duration * 1000, waitMs: wait * 1000, signal }))),
  );
  server.registerTool(
    'renew_lease',
    {
      description:
        'Whether this session still holds a lease, which is renewed by itself, and for how long it does if nothing answers from now on.',
      inputSchema: { name: NAME, namespace: NAMESPACE },
    },
    ({ name, namespace }) => answer(async () => describe(await leases.held(name, namespace))),
  );
  server.registerTool(
    'release_lease',
    { description: 'Release a lease of this session.', inputSchema: { name: NAME, namespace: NAMESPACE } },
    ({ name, namespace }) => answer(async () => ({ released: await leases.release(name, namespace) })),
  );
  addReadingTools(server, source, answer);
}

/** The tools that change nothing. */
function addReadingTools(server: McpServer, source: () => Promise<LeaseSource>, answer: Answer): void {
  const read = async <T>(namespace: string | undefined, ask: (source: LeaseSource, namespace: string) => Promise<T>): Promise<T> => {
    const opened = await source();
    return ask(opened, namespace ?? opened.backend.namespace);
  };
  server.registerTool(
    'who_holds',
    {
      description:
        'Who holds a lease, or without a name, all leases of the namespace that have a holder. State expired: the time of the holder is over, and whoever asks next gets the lease.',
      inputSchema: { name: NAME.optional(), namespace: NAMESPACE },
      annotations: { readOnlyHint: true },
    },
    ({ name, namespace }, { signal }) => answer(() => read(namespace, ({ reader }, within) => reader.held(within, name, briefly(signal)))),
  );
  server.registerTool(
    'lease_history',
    {
      description: 'The latest holders of a lease, the newest first, and how each term ended.',
      inputSchema: { name: NAME, namespace: NAMESPACE },
      annotations: { readOnlyHint: true },
    },
    ({ name, namespace }, { signal }) =>
      answer(async () => ({ terms: await read(namespace, ({ reader }, within) => reader.terms(within, name, briefly(signal))) })),
  );
}

function briefly(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(READ_MS)]);
}

/** It is never said of a lost lease that it is held: throws its LockError. */
function describe(lock: Lock): object {
  const { namespace, lease, holder, token } = lock;
  lock.throwIfLost();
  const left = lock.exclusiveFor();
  return { lease: `${namespace}/${lease}`, held: true, token: String(token), holder: shown(holder), secondsLeft: Math.floor(left / 1000) };
}
