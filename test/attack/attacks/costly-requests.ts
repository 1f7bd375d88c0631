import { createLargeLease } from '../../fuzz/turns/large-lease.js';
import { TURN_CASES, type TurnCase } from '../../fuzz/turns/turn-cases.js';
import { messageOf } from '../../fuzz/turns/turn-message.js';
import type { Attack } from '../attack-definition.js';
import type { Attacker } from '../attacker.js';
import { ADMIN_TOKEN, ATTACKED_NAMESPACE, IDLER_TOKENS, leasesOf, requestFields, TENANT_TOKEN } from '../identities.js';
import type { RawHttp1 } from '../wire/raw-http1.js';

const LANES = 8;
/** About the limits of parts, and beyond them. */
const SIZES = [1900, 4900, 9900, 100_000, 240_000] as const;
const MAX_BODY = 3 * 1024 * 1024;
const MAX_HEADER = 900_000;
const ANSWER_MS = 15_000;

export const costlyRequests: Attack = {
  name: 'costly-requests',
  about: 'users with a namespace or without any role send every request of worst-turns in turn, on 8 connections: work in the event loop',
  run: async (attacker) => {
    // Other attacks by the same user may keep it from that.
    await createLargeLease(attacker.url).catch(() => attacker.note('large leases refused', 1));
    const cases = TURN_CASES.filter(({ token }) => token !== ADMIN_TOKEN);
    await attacker.lanes(LANES, (lane) => sendAll(attacker, lane, cases));
  },
};

async function sendAll(attacker: Attacker, lane: number, cases: readonly TurnCase[]): Promise<void> {
  const connection = await attacker.http1();
  while (!connection.isOver && !attacker.isOver) {
    const request = attacker.random.pick(cases);
    const token = request.token === IDLER_TOKENS[0] ? (IDLER_TOKENS[lane % IDLER_TOKENS.length] ?? '') : request.token;
    await sendAndWait(attacker, connection, { ...request, token }, attacker.random.pick(SIZES));
  }
  attacker.note('costly requests answered', connection.answers);
}

async function sendAndWait(attacker: Attacker, connection: RawHttp1, request: TurnCase, size: number): Promise<void> {
  const { method, path, headers, body, headerBytes } = messageOf(request, size);
  if (headerBytes > MAX_HEADER || body.length > MAX_BODY) return;
  const awaited = connection.answers + 1;
  connection.request(method, path, Object.entries({ ...headers, 'content-length': String(body.length) }));
  connection.write(body);
  const until = Date.now() + ANSWER_MS;
  while (connection.answers < awaited && !connection.isOver && Date.now() < until) await attacker.pause(5);
}

const WATCH_CONNECTIONS = 8;
/** As many words as a selector may have; with three characters each, they fit into one frame. */
const WORDS = 3900;
const LEAST_OF_THREE = 36 ** 2;

export const longSelectors: Attack = {
  name: 'long-selector-watches',
  about: 'a tenant opens 800 watches with selectors of 3,900 words each: memory of parsed selectors',
  run: (attacker) =>
    attacker.lanes(WATCH_CONNECTIONS, async (lane) => {
      const connection = await attacker.http2();
      for (let count = 0; count < connection.maxStreams && !connection.isOver && !attacker.isOver; count++) {
        const first = LEAST_OF_THREE + lane * 1000 + count;
        const selector = Array.from({ length: WORDS }, (_, at) => (first + at).toString(36).toUpperCase()).join(',');
        const path = `${leasesOf(ATTACKED_NAMESPACE)}?watch=1&labelSelector=${selector}`;
        await connection.send(connection.headers(connection.nextStream(), requestFields('GET', path, TENANT_TOKEN)));
        await attacker.pause(50);
      }
      await attacker.hold(connection);
      attacker.note('selector watches reset', connection.resets);
    }),
};

const EVENT_LANES = 4;
const EVENT_BYTES = 256_000;

export const largeEvents: Attack = {
  name: 'large-events',
  about: 'a tenant creates Events of 256 kB and leases of 200 kB: the room of the store',
  run: (attacker) =>
    attacker.lanes(EVENT_LANES, async (lane) => {
      const connection = await attacker.http1();
      for (let count = 0; !connection.isOver && !attacker.isOver; count++) {
        const [path, body] = lane === 0 ? largeLease(`large-${attacker.random.below(1e6)}`) : largeEvent(`e-${lane}-${count}`);
        const request: TurnCase = { name: '', method: 'POST', token: TENANT_TOKEN, path: () => path, body: () => Buffer.from(body) };
        await sendAndWait(attacker, connection, { ...request, headers: { 'content-type': 'application/json' } }, 0);
        await attacker.pause(100);
      }
    }),
};

function largeEvent(name: string): readonly [string, string] {
  const involvedObject = { kind: 'Pod', namespace: ATTACKED_NAMESPACE, name: 'p' };
  const event = { apiVersion: 'v1', kind: 'Event', metadata: { name }, involvedObject, reason: 'r', message: 'm'.repeat(1000) };
  const annotations = { a: 'x'.repeat(EVENT_BYTES - 2000) };
  return [`/api/v1/namespaces/${ATTACKED_NAMESPACE}/events`, JSON.stringify({ ...event, metadata: { name, annotations } })];
}

function largeLease(name: string): readonly [string, string] {
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, annotations: { a: 'x'.repeat(200_000) } } };
  return [leasesOf(ATTACKED_NAMESPACE), JSON.stringify(lease)];
}

export const reviewsOfNobody: Attack = {
  name: 'reviews-of-nobody',
  about: 'users without any role send reviews with 2.8 MB of selectors, 240,000 labels and merged YAML: work before the answer',
  run: (attacker) => {
    const cases = TURN_CASES.filter(({ token }) => token === IDLER_TOKENS[0]);
    return attacker.lanes(LANES, (lane) => sendAll(attacker, lane, cases));
  },
};
