import { type LeaseWire, LEASE_SECONDS } from './lease-wire.js';

const MEDIA_TYPE = 'application/vnd.kubernetes.protobuf';
const MAGIC = 'k8s\0';
const VARINT = 0;
const BYTES = 2;

/** Field numbers of runtime.Unknown, Lease, ObjectMeta, LeaseSpec and MicroTime. */
const UNKNOWN = { typeMeta: 1, raw: 2 };
const TYPE_META = { apiVersion: 1, kind: 2 };
const LEASE = { metadata: 1, spec: 2 };
const META = { name: 1, resourceVersion: 6 };
const SPEC = { holderIdentity: 1, leaseDurationSeconds: 2, renewTime: 4 };
const TIME = { seconds: 1, nanos: 2 };

const typeMeta = message(UNKNOWN.typeMeta, message(TYPE_META.apiVersion, 'coordination.k8s.io/v1') + message(TYPE_META.kind, 'Lease'));

/**
 * Written for the bench, so that the server's own code is not on both sides. Bytes are assembled as characters, which costs
 * half as much as the JSON.
 */
export const leaseProtobuf: LeaseWire = {
  mediaType: MEDIA_TYPE,

  encode: (name, resourceVersion) => {
    const now = Date.now();
    const time = integer(TIME.seconds, Math.floor(now / 1000)) + integer(TIME.nanos, (now % 1000) * 1_000_000);
    const meta = message(META.name, name) + (resourceVersion === '' ? '' : message(META.resourceVersion, resourceVersion));
    const spec =
      message(SPEC.holderIdentity, `${name}_6a1b0f0e-0000-4000-8000-000000000000`) +
      integer(SPEC.leaseDurationSeconds, LEASE_SECONDS) +
      message(SPEC.renewTime, time);
    const lease = message(LEASE.metadata, meta) + message(LEASE.spec, spec);
    return Buffer.from(MAGIC + typeMeta + message(UNKNOWN.raw, lease), 'latin1');
  },

  versionOf: (body) => {
    const raw = field(body.subarray(MAGIC.length), UNKNOWN.raw);
    const meta = raw && field(raw, LEASE.metadata);
    return (meta && field(meta, META.resourceVersion))?.toString('latin1') ?? '';
  },
};

function varint(value: number): string {
  let out = '';
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) out += String.fromCharCode((rest % 0x80) | 0x80);
  return out + String.fromCharCode(rest);
}

function integer(number: number, value: number): string {
  return String.fromCharCode((number << 3) | VARINT) + varint(value);
}

/** A message or an ASCII string. */
function message(number: number, content: string): string {
  return String.fromCharCode((number << 3) | BYTES) + varint(content.length) + content;
}

/** The first length-delimited field of this number. */
function field(message: Buffer, wanted: number): Buffer | undefined {
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = message[at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = next();
    const length = next();
    if ((tag & 7) !== BYTES) continue;
    if (tag >> 3 === wanted) return message.subarray(at, at + length);
    at += length;
  }
  return undefined;
}
