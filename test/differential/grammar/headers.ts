import type { Random } from '../../fuzz/random.js';
import type { Identity } from '../question.js';
import type { AskedResource } from './resources.js';

const FORMS = [
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/yaml;as=Table;v=v1;g=meta.k8s.io',
  'application/cbor;as=Table;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json',
  'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
  'application/json;as=Table;g=meta.k8s.io',
  'application/json;as=Table;v=v1;g=other.example.com,application/yaml',
  'application/json;as=Odd;v=v1;g=meta.k8s.io',
];
const TYPES = [
  'application/json',
  'application/yaml',
  'application/cbor',
  '*/*',
  'application/*',
  'text/plain',
  'application/json;q=0',
  'text/html, application/json',
  'application/json;q=0.5, application/yaml;q=0.9',
  'application/json;q=x, application/yaml',
  'application/json;stream=watch',
  'application/cbor-seq',
  'application/json; charset=utf-8',
  'application/json;pretty=1',
  'Application/JSON',
  'application/yaml;pretty=0, */*;q=0.1',
  'text/*, application/*;q=0.1',
  'json',
  'application/json,',
  ';',
  '',
];

/** An identity, mostly one with the necessary rights. */
export function someIdentity(random: Random): Identity {
  const roll = random.below(100);
  if (roll < 80) return 'admin';
  if (roll < 88) return 'editor';
  return random.pick(['reader', 'named', 'deputy', 'nobody', 'wrong']);
}

/** Headers in addition to those of every question. */
export function someHeaders(random: Random, { protobuf }: Pick<AskedResource, 'protobuf'>, identity: Identity): Record<string, string> {
  const headers: Record<string, string> = {};
  if (random.chance(0.25)) {
    headers['accept'] = random.chance(0.4)
      ? random.pick(FORMS)
      : random.pick(protobuf ? [...TYPES, 'application/vnd.kubernetes.protobuf'] : TYPES);
  }
  if (random.chance(0.1)) {
    headers['accept-encoding'] = random.pick(['gzip', 'gzip', 'deflate, gzip;q=1.0, br', 'br, gzip', 'GZIP', '*', '']);
  }
  if (random.chance(0.02)) headers['user-agent'] = random.pick(['Mozilla/5.0', 'curl/8', '', 'kubectl/v1.37.2']);
  if (identity === 'deputy' || random.chance(0.03)) Object.assign(headers, impersonation(random));
  return headers;
}

function impersonation(random: Random): Record<string, string> {
  return random.pick<Record<string, string>>([
    { 'impersonate-user': 'editor' },
    { 'impersonate-user': 'editor', 'impersonate-group': 'dev' },
    { 'impersonate-user': 'reader' },
    { 'impersonate-group': 'dev' },
    { 'impersonate-user': 'editor', 'impersonate-uid': 'u' },
    { 'impersonate-user': 'editor', 'impersonate-extra-scopes': 'x' },
    { 'impersonate-user': 'system:serviceaccount:{{ns}}:a' },
    { 'impersonate-user': 'system:anonymous' },
    { 'impersonate-user': 'system:node:n' },
    {},
  ]);
}
