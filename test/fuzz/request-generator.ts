import { encode as encodeCbor } from 'cborg';
import { Corpus } from './corpus.js';
import { type FuzzRequest, headerOf, setHeader } from './fuzz-request.js';
import { mutateBytes } from './mutate-bytes.js';
import { mutateHeaders } from './mutate-headers.js';
import { mutateJson } from './mutate-json.js';
import { mutateTarget } from './mutate-target.js';
import { type Json, nastyValue } from './nasty-values.js';
import { jsonPatch, partialObject } from './patch-bodies.js';
import { protobufBody } from './protobuf-body.js';
import { Random } from './random.js';
import { target } from './targets.js';
import { yamlBody } from './yaml-bodies.js';

const METHODS: readonly string[] = ['GET', 'GET', 'GET', 'POST', 'POST', 'PUT', 'PUT', 'PATCH', 'PATCH', 'PATCH', 'PATCH', 'DELETE'];
const ODD_METHODS: readonly string[] = ['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'FOO', 'get', 'PRI', 'M-SEARCH', 'LINK'];
const PATCH_TYPES: readonly string[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/apply-patch+cbor',
];

/** The requests of a run: each depends only on the seed and its own number, so that any of them can be sent again by itself. */
export class RequestGenerator {
  readonly #corpus = Corpus.fromRecordings();

  constructor(readonly seed: number) {}

  /** The request with this number. */
  make(index: number): FuzzRequest {
    const random = new Random(this.seed, index);
    const protocol = random.chance(0.5) ? 'h2' : 'http/1.1';
    const request = random.chance(0.5) ? this.#corpus.pick(random, protocol) : built(random, protocol);
    for (let mutations = random.below(4); mutations > 0; mutations -= 1) mutate(request, random);
    if (!request.headers.some(([name]) => name.toLowerCase() === 'authorization') && random.chance(0.99)) {
      request.headers.push(['authorization', 'Bearer fuzz-token']);
    }
    // HTTP/2 allows only ASCII in a path, and nghttp2 no header above 64 KiB.
    if (/[^!-~]/.test(request.target) || request.target.length > 60_000) request.hostile = true;
    if (request.headers.some(([, value]) => value.length > 60_000)) request.hostile = true;
    return request;
  }
}

function built(random: Random, protocol: FuzzRequest['protocol']): FuzzRequest {
  const request: FuzzRequest = {
    protocol,
    method: random.pick(METHODS),
    target: target(random),
    headers: [],
    body: undefined,
    hostile: false,
  };
  if (random.chance(0.02)) request.method = random.pick(ODD_METHODS);
  if (request.method === 'PATCH') patchBody(request, random);
  else if (request.method === 'POST' || request.method === 'PUT') objectBody(request, random);
  else if (request.method === 'DELETE' && random.chance(0.4)) json(request, deleteOptions(random));
  return request;
}

function json(request: FuzzRequest, value: Json): void {
  request.body = Buffer.from(JSON.stringify(value));
  setHeader(request, 'content-type', 'application/json');
}

function patchBody(request: FuzzRequest, random: Random): void {
  const type = random.pick(PATCH_TYPES);
  const value = type.includes('json-patch') ? jsonPatch(random) : partialObject(random);
  json(request, value);
  if (type.endsWith('yaml')) request.body = yamlBody(value, random);
  if (type.endsWith('cbor')) request.body = cbor(value);
  setHeader(request, 'content-type', type);
  if (type.includes('apply') && !request.target.includes('fieldManager') && random.chance(0.9)) {
    request.target += `${request.target.includes('?') ? '&' : '?'}fieldManager=${random.pick(['a', 'b', 'c'])}`;
  }
}

function objectBody(request: FuzzRequest, random: Random): void {
  const value = { ...(partialObject(random) as Record<string, Json>) };
  const name = /\/([a-z0-9-]+)(?:\?|$)/.exec(request.target)?.[1] ?? 'one';
  const named = request.method === 'PUT' ? name : random.pick(['one', 'two', 'three', 'four']);
  value['metadata'] = { ...(value['metadata'] as Record<string, Json>), name: named };
  if (request.target.includes('/leasecandidates')) Object.assign(value, candidate(request, random));
  if (/\/namespaces(\?|\/[^/]*(\?|$)|$)/.test(request.target)) Object.assign(value, { apiVersion: 'v1', kind: 'Namespace', spec: {} });
  json(request, value);
  reencode(request, random);
}

function candidate(request: FuzzRequest, random: Random): Record<string, Json> {
  const version = /v1\w*/.exec(request.target)?.[0] ?? 'v1beta1';
  const spec = {
    leaseName: random.pick(['one', 'two', '__proto__', '']),
    strategy: random.pick(['OldestEmulationVersion', 'x', 1]),
    binaryVersion: random.pick(['1.36.0', 'x', '1.2.3-' + 'a.'.repeat(500)]),
    emulationVersion: random.pick(['1.36.0', '1.0.0', '']),
    pingTime: '2024-01-01T00:00:00.000000Z',
  };
  return { apiVersion: `coordination.k8s.io/${version}`, kind: 'LeaseCandidate', spec };
}

function deleteOptions(random: Random): Json {
  return {
    kind: random.pick(['DeleteOptions', 'x']),
    apiVersion: random.pick(['v1', 'meta.k8s.io/v1', 'x']),
    gracePeriodSeconds: random.pick([0, 1, -1, null]),
    preconditions: random.pick<Json>([null, {}, { uid: 'x' }, { resourceVersion: '1' }, []]),
    propagationPolicy: random.pick([null, 'Orphan', 'Foreground', 'x', 1]),
    dryRun: random.pick([null, [], ['All'], ['x'], 'All']),
  };
}

/** The same object in another format. */
function reencode(request: FuzzRequest, random: Random): void {
  const value = parsed(request.body);
  if (value === undefined) return;
  switch (random.below(7)) {
    case 0:
      request.body = yamlBody(value, random);
      setHeader(request, 'content-type', 'application/yaml');
      break;
    case 1:
      request.body = cbor(value);
      setHeader(request, 'content-type', 'application/cbor');
      break;
    case 2:
      request.body = protobufBody(random);
      setHeader(request, 'content-type', 'application/vnd.kubernetes.protobuf');
      break;
    default:
  }
}

function cbor(value: Json): Buffer {
  return Buffer.concat([Buffer.from([0xd9, 0xd9, 0xf7]), encodeCbor(value)]);
}

function parsed(body: Buffer | undefined): Json | undefined {
  if (!body) return undefined;
  try {
    return JSON.parse(body.toString('utf8')) as Json;
  } catch {
    return undefined;
  }
}

function mutate(request: FuzzRequest, random: Random): void {
  switch (random.below(10)) {
    case 0:
    case 1:
      mutateTarget(request, random);
      break;
    case 2:
    case 3:
      mutateHeaders(request, random);
      break;
    case 4:
      if (random.chance(0.5)) request.method = random.pick(random.chance(0.8) ? METHODS : ODD_METHODS);
      break;
    case 5:
      if (request.body) request.body = mutateBytes(request.body, random);
      break;
    case 6:
      if (!headerOf(request, 'content-type')?.includes('patch')) reencode(request, random);
      break;
    default:
      mutateBody(request, random);
  }
}

function mutateBody(request: FuzzRequest, random: Random): void {
  const value = parsed(request.body);
  if (value === undefined) return;
  request.body = Buffer.from(JSON.stringify(random.chance(0.05) ? nastyValue(random) : mutateJson(value, random)));
}
