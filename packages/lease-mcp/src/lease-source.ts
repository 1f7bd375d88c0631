import { printable } from '../../../src/apimachinery/text/printable.js';
import type { OwnKubeconfig } from '../../../src/kube/choose-server.js';
import type { Transport } from '../../kube-client/src/transport.js';
import { ownKubeconfigOf } from '../../lease-lock/src/cli/run-program.js';
import { DatabasePools } from '../../lease-lock/src/connection/database-pools.js';
import { type ServerOptions, serverConnection, serverTransport } from '../../lease-lock/src/connection/server-connection.js';
import { databaseLeases } from '../../lease-lock/src/database-leases.js';
import type { Queryable } from '../../lease-lock/src/database/lease-procedures.js';
import { serverBackend } from '../../lease-lock/src/http/server-backend.js';
import type { LeaseBackend } from '../../lease-lock/src/lease-lock.js';
import { LockError } from '../../lease-lock/src/lock-options.js';

export interface LeaseSourceOptions {
  readonly server: ServerOptions;
  /** Takes the place of the server. */
  readonly database?: { readonly url: string; readonly schema?: string };
}

/** Where leases are taken and read. */
export interface LeaseSource {
  readonly backend: LeaseBackend;
  readonly reader: LeaseReader;
}

/** Opened by the first call that succeeds: a kubeconfig that is corrected needs no new session. Rejects with a LockError. */
export function openLeaseSource(
  { server, database }: LeaseSourceOptions,
  own: OwnKubeconfig,
  complain: (line: string) => void,
): () => Promise<LeaseSource> {
  let opened: Promise<LeaseSource> | undefined;
  const open = async (): Promise<LeaseSource> => {
    if (database) {
      const { url, schema = 'coordination' } = database;
      const pools = await DatabasePools.open(url);
      return { backend: databaseLeases({ database: pools, namespace: server.namespace, schema }), reader: databaseReader(pools, schema) };
    }
    const isNamed = (server.server ?? server.kubeconfig) !== undefined;
    const ownKubeconfig = isNamed ? undefined : ownKubeconfigOf(own, complain);
    const connection = await serverConnection({ ...server, ownKubeconfig });
    const transport = serverTransport(connection);
    return { backend: serverBackend({ transport, namespace: connection.namespace }), reader: serverReader(transport) };
  };
  return () =>
    (opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));
}

interface FoundLease {
  readonly name: string;
  readonly holder: string;
  readonly seconds: number | null;
  readonly renewed: string | null;
}

/** `expired`: its time is over by renewTime and this computer's clock, and whoever asks next gets it. */
interface HeldLease extends FoundLease {
  readonly state: 'held' | 'expired';
}

interface HeldLeases {
  readonly leases: readonly HeldLease[];
  /** There are, or may be, more. */
  readonly more?: string;
}

interface Term {
  readonly holder: string;
  readonly token: string;
  readonly from: string;
  readonly until: string | null;
  readonly ended: string | null;
}

/** What tells of leases without taking any. Rejects with a LockError. */
interface LeaseReader {
  /** The lease, if there is one with a holder; of all leases, the first hundred that have one. An expired one is still its holder's until somebody takes it. */
  held(namespace: string, name: string | undefined, signal: AbortSignal): Promise<HeldLeases>;
  /** The latest terms, the newest first. */
  terms(namespace: string, name: string, signal: AbortSignal): Promise<Term[]>;
}

const MAX_LEASES = 100;
const MAX_TERMS = 20;
/** The places of contenders who wait are leases too. */
const IS_PLACE = /\.(queue|ticket-[^.]*)$/;
const PAGE = 500;
/** So many pages are looked at for leases with a holder. */
const MAX_PAGES = 40;
/** A page has at most 500 leases, of which others decide how large they are. */
const MAX_BYTES = 32 * 1024 * 1024;
const HISTORY = 'history.coordination-apiserver.dev/v1';

interface LeaseObject {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly holderIdentity?: string; readonly leaseDurationSeconds?: number; readonly renewTime?: string };
}

interface TermObject {
  readonly spec: { readonly holder: string; readonly fencingToken: string; readonly from: string };
  readonly status: { readonly until?: string; readonly reason?: string };
}

interface Page<T> {
  readonly metadata?: { readonly continue?: string };
  readonly items: readonly T[];
}

function serverReader(transport: Transport): LeaseReader {
  const get = async (path: string, signal: AbortSignal): Promise<{ status: number; body: unknown }> => {
    try {
      const { status, body } = await transport({ method: 'GET', path, signal });
      const chunks: Uint8Array[] = [];
      let bytes = 0;
      for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > MAX_BYTES) throw new Error(`its answer is longer than ${MAX_BYTES} bytes`);
        chunks.push(chunk);
      }
      return { status, body: JSON.parse(Buffer.concat(chunks).toString()) };
    } catch (error) {
      throw new LockError('unreachable', `the server cannot be asked: ${(error as Error).message}`, { cause: error });
    }
  };
  const page = async <T>(path: string, signal: AbortSignal): Promise<Page<T>> => {
    const { status, body } = await get(path, signal);
    if (status === 200) return body as Page<T>;
    throw new LockError('refused', `the server refused: ${(body as { message?: string }).message ?? ''} (${status})`);
  };
  const held = ({
    metadata: { name },
    spec: { holderIdentity: holder = '', leaseDurationSeconds, renewTime } = {},
  }: LeaseObject): FoundLease => ({
    ...{ name, holder, seconds: leaseDurationSeconds ?? null, renewed: renewTime ?? null },
  });
  return {
    held: async (namespace, name, signal) => {
      const found: FoundLease[] = [];
      let next = '';
      for (let pages = 0; pages < MAX_PAGES && found.length <= MAX_LEASES && (pages === 0 || next !== ''); pages++) {
        const query = new URLSearchParams({ limit: String(PAGE), ...(name !== undefined && { fieldSelector: `metadata.name=${name}` }) });
        if (next !== '') query.set('continue', next);
        const path = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases?${query.toString()}`;
        const { items, metadata } = await page<LeaseObject>(path, signal);
        found.push(...items.map(held).filter(({ name: lease, holder }) => holder !== '' && !IS_PLACE.test(lease)));
        next = metadata?.continue ?? '';
      }
      return heldLeases(found, next !== '');
    },
    terms: async (namespace, name, signal) => {
      // the terms of one lease are listed the newest first
      const query = new URLSearchParams({ fieldSelector: `spec.leaseName=${name}`, limit: String(MAX_TERMS) });
      const path = `/apis/${HISTORY}/namespaces/${encodeURIComponent(namespace)}/leaseterms?${query.toString()}`;
      return (await page<TermObject>(path, signal)).items.map(termOf).map(shownTerm);
    },
  };
}

function databaseReader(database: Queryable, schema: string): LeaseReader {
  const relation = (name: string): string => `"${schema.replaceAll('"', '""')}".${name}`;
  const rows = async <T>(text: string, values: unknown[]): Promise<T[]> => {
    try {
      return (await database.query(text, values)).rows as T[];
    } catch (error) {
      throw new LockError('unreachable', `the database cannot be asked: ${(error as Error).message}`, { cause: error });
    }
  };
  return {
    held: async (namespace, name) =>
      heldLeases(
        await rows<FoundLease>(
          `select name, holder, duration_seconds as seconds, renewed from ${relation('leases')}
           where namespace = $1 and ($2::text is null or name = $2) and holder <> '' and name !~ $3 order by name limit ${MAX_LEASES + 1}`,
          [namespace, name ?? null, IS_PLACE.source],
        ),
      ),
    terms: async (namespace, name) =>
      (
        await rows<Term>(
          `select holder, token::text as token, began as "from", until, reason as ended from ${relation('lease_terms')}
           where namespace = $1 and lease = $2 order by lease_terms.token desc limit ${MAX_TERMS}`,
          [namespace, name],
        )
      ).map(shownTerm),
  };
}

function termOf({ spec: { holder, fencingToken, from }, status: { until, reason } }: TermObject): Term {
  return { holder, token: fencingToken, from, until: until ?? null, ended: reason ?? null };
}

function shownTerm(term: Term): Term {
  return { ...term, holder: shown(term.holder) };
}

/** `isCut`: not all leases were looked at. */
function heldLeases(found: readonly FoundLease[], isCut = false): HeldLeases {
  const now = Date.now();
  const leases = found.slice(0, MAX_LEASES).map((lease) => ({ ...lease, holder: shown(lease.holder), state: stateOf(lease, now) }));
  if (!isCut && found.length <= MAX_LEASES) return { leases };
  return { leases, more: `not all leases were looked at: ask for one by its name` };
}

function stateOf({ seconds, renewed }: FoundLease, now: number): HeldLease['state'] {
  return seconds !== null && renewed !== null && Date.parse(renewed) + seconds * 1000 < now ? 'expired' : 'held';
}

/** Text that others may have written, such as a holder, as an agent reads it: on one line, and too short to fill its context. */
export function shown(text: string, most = 200): string {
  return printable(text.length > most ? `${text.slice(0, most)}…` : text);
}
