import { type FuzzRequest, setHeader } from './fuzz-request.js';
import { nastyText } from './nasty-values.js';
import type { Random } from './random.js';

const MEDIA_TYPES: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/cbor',
  'application/cbor-seq',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/apply-patch+cbor',
  'application/xml',
  'text/plain',
  'text/html',
  '*/*',
  'application/*',
  '*',
  '',
  'a',
  '/',
  'application/',
  ';',
  ',',
  'application/json;charset=utf-16',
  'application/json;a="\\"',
  'application/json;;;=;q=',
  'application/json; boundary=',
];
const PARAMETERS: readonly string[] = [
  ';as=Table;v=v1;g=meta.k8s.io',
  ';as=Table;v=v1beta1;g=meta.k8s.io',
  ';as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  ';as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  ';as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io',
  ';as=__proto__;v=constructor;g=x',
  ';stream=watch',
  ';q=0.1',
  ';q=-1',
  ';q=NaN',
  ';q=1e999',
  ';pretty=1',
  ';__proto__=x',
];

export function mediaType(random: Random): string {
  return random.pick(MEDIA_TYPES) + (random.chance(0.4) ? random.pick(PARAMETERS) : '');
}

export function accept(random: Random): string {
  const count = random.chance(0.99) ? 1 + random.below(3) : 3000;
  return Array.from({ length: count }, () => mediaType(random)).join(random.pick([',', ', ', ',,', ' ']));
}

const NAMES: readonly string[] = [
  'authorization',
  'accept-encoding',
  'accept-language',
  'audit-id',
  'user-agent',
  'if-none-match',
  'if-match',
  'if-modified-since',
  'range',
  'expect',
  'impersonate-user',
  'impersonate-group',
  'impersonate-extra-__proto__',
  'x-remote-user',
  'x-forwarded-for',
  'x-http-method-override',
  'cookie',
  'origin',
  'host',
  'sec-websocket-protocol',
  'sec-websocket-version',
  'content-encoding',
  'content-md5',
  'te',
  '__proto__',
  'constructor',
  'x-a',
];
const VALUES: readonly string[] = [
  '',
  ' ',
  '\t',
  'gzip',
  'gzip;q=0',
  'identity',
  'Bearer ',
  'Bearer wrong',
  'Bearer a b',
  'Basic Og==',
  'bearer fuzz-token',
  '*',
  'W/"x"',
  '"',
  'bytes=0-0',
  'base64url.bearer.authorization.k8s.io.eA',
  '__proto__',
  'system:masters',
  'a,b,c',
  '\x80\xff',
  'x'.repeat(10_000),
];

/** Adds, duplicates, drops or corrupts a header. Changes to HTTP/1.1 framing are left to the raw connections. */
export function mutateHeaders(request: FuzzRequest, random: Random): void {
  switch (random.below(8)) {
    case 0:
      setHeader(request, 'content-type', mediaType(random));
      break;
    case 1:
    case 2:
      setHeader(request, 'accept', accept(random));
      break;
    case 3:
      request.headers.push([random.pick(NAMES), random.pick(VALUES)]);
      // nghttp2 and llhttp refuse some of these names and values, and some duplicates.
      request.hostile = true;
      break;
    case 4:
      for (let count = random.below(500); count > 0; count -= 1) request.headers.push([`x-${count}`, 'y']);
      break;
    case 5: {
      const doubled = request.headers[random.below(request.headers.length)];
      if (doubled) request.headers.push([...doubled]);
      request.hostile = true;
      break;
    }
    case 6:
      request.headers.push([random.chance(0.5) ? 'x-odd' : nastyText(random).slice(0, 100), nastyText(random).slice(0, 2000)]);
      request.hostile = true;
      break;
    default:
      request.headers = request.headers.filter(() => random.chance(0.6));
  }
}
