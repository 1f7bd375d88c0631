import type { ServerName } from './servers.js';

/** Sequences with a different outcome on another server, and the reason why this server does not follow it. */
export interface Difference {
  readonly server: Exclude<ServerName, 'own'>;
  readonly of: readonly string[];
  /** The other server's outcome; `any` if it depends on timing. */
  readonly outcome: string;
  readonly because: string;
}

const REQUEST = '+0: 200 "GET / 0"; alive';
const REFUSED = '+0: RST PROTOCOL_ERROR; alive';
const RST_CLOSED = 'RST STREAM_CLOSED';

const GO: readonly Omit<Difference, 'server'>[] = [
  {
    outcome: 'closed',
    of: ['the preface is HTTP/1.1', 'the preface ends wrongly', 'DATA without the length of its padding', 'HEADERS too short for their priority'],
    because: 'Go hangs up on what it cannot parse; nghttp2 and this server say why in a GOAWAY (RFC 9113 section 5.4.1).',
  },
  {
    outcome: 'alive',
    of: ['the first frame is an ACK of settings'],
    because: 'Section 3.4 wants SETTINGS first; an acknowledgement of settings that the client has not seen is not that. nghttp2 refuses it too.',
  },
  {
    outcome: REFUSED,
    of: ['a stream that depends on itself by PRIORITY', 'a stream that depends on itself by HEADERS', 'HEADERS with padding longer than the frame', 'WINDOW_UPDATE of 0 on a stream'],
    because: 'Go resets the stream where RFC 9113 allows or asks for the end of the connection (sections 6.2, 6.9; RFC 7540 section 5.3.1); an end cannot be had a thousand times.',
  },
  {
    outcome: '+0: 200 "GET / 0"; GOAWAY PROTOCOL_ERROR; closed',
    of: ['HEADERS on a closed stream'],
    because: 'Section 5.1 calls it STREAM_CLOSED; the connection ends either way.',
  },
  {
    outcome: 'GOAWAY PROTOCOL_ERROR; closed',
    of: ['HEADERS on a stream that the client has reset'],
    because: 'As before: this server says STREAM_CLOSED.',
  },
  {
    outcome: 'GOAWAY PROTOCOL_ERROR; closed',
    of: ['an ACK of settings that were not sent', 'the same setting several times', 'CVE-2020-11080: SETTINGS with thousands of entries', 'more settings than there are in one frame'],
    because: 'RFC 9113 forbids neither more ACKs nor repeated entries (section 6.5.3: values are taken in order); this server counts frames, and ends a connection at 33 entries in one of them.',
  },
  {
    outcome: 'GOAWAY NO_ERROR; closed',
    of: ['a GOAWAY with data, then a request', 'a GOAWAY with an error, then a request', 'GOAWAYs whose last stream grows', 'GOAWAYs', 'CVE-2023-35945: a reset, then GOAWAY'],
    because: 'A GOAWAY of a client speaks of streams that the server opens, which are none. The client says itself when it is done, by closing.',
  },
  {
    outcome: '+0: RST FLOW_CONTROL_ERROR RST STREAM_CLOSED; alive',
    of: ['a body beyond its window that nobody reads'],
    because: 'Go resets a stream again for each late frame; this server tells its client once, and passes over what was on its way (section 5.1).',
  },
  {
    outcome: `+0: 200 "POST /early" RST NO_ERROR ${RST_CLOSED}; alive`,
    of: ['DATA behind an answer that came early'],
    because: 'As before: what was on its way when the stream was reset is passed over.',
  },
  {
    outcome: '+0: 200 "POST /early" RST NO_ERROR; GOAWAY PROTOCOL_ERROR; closed',
    of: ['trailers behind an answer that came early'],
    because: 'Section 5.1 asks to tolerate frames that were on their way when the stream was reset, HEADERS included.',
  },
  {
    outcome: 'any',
    of: ['DATA for streams that were reset does not close the window of the connection'],
    because: 'As before: Go answers each late DATA frame of the ten streams.',
  },
  {
    outcome: '+0: 200 "POST / 1"; alive',
    of: ['trailers with a connection header'],
    because: 'Section 8.2.2 calls the request malformed.',
  },
  {
    outcome: '+0: 413 "the body is too large"; alive',
    of: ['less than the content-length', 'less than the content-length, with trailers'],
    because: 'Go tells the handler, which answers with its error; section 8.1.1 has malformed requests reset, and the API would take them for aborted ones.',
  },
  { outcome: '+0: 200 "POST / 0"; alive', of: ['a content-length without a body'], because: 'Malformed by section 8.1.1; a proxy behind might wait for the body.' },
  { outcome: '+0: 200 "POST / 3"; alive', of: ['two content-lengths that differ'], because: 'Malformed: which one counts is what request smuggling is made of.' },
  ...['Connection', 'Keep-Alive', 'Proxy-Connection', 'Transfer-Encoding', 'Upgrade'].map((name) => ({
    outcome: `+0: 400 ${JSON.stringify(`request header "${name}" is not valid in HTTP/2\n`)}; alive`,
    of: [{ Connection: 'connection: close', 'Transfer-Encoding': 'transfer-encoding: chunked' }[name] ?? name.toLowerCase()],
    because: 'Section 8.2.2 calls it malformed, which is a stream error; Go answers 400 from its handler.',
  })),
  {
    outcome: '+0: 400 "request header \\"TE\\" may only be \\"trailers\\" in HTTP/2\\n"; alive',
    of: ['te: gzip', 'te: trailers, gzip'],
    because: 'As before.',
  },
  { outcome: '+0: 200 "GET https://test/ 0"; alive', of: ['a whole URL as path'], because: 'Section 8.3.1: a path begins with a slash.' },
  { outcome: '+0: 200 "GET * 0"; alive', of: ['* for GET'], because: 'Section 8.3.1 has * for OPTIONS alone.' },
  { outcome: '+0: 200; alive', of: ['* for OPTIONS'], because: 'Go answers OPTIONS * itself; here the pipeline does, after authentication.' },
  { outcome: REFUSED, of: ['a path with a bad escape'], because: 'The pipeline answers 400, as for HTTP/1.1.' },
  { outcome: REFUSED, of: ['a scheme of another kind'], because: 'Nothing here depends on the scheme; nghttp2 takes it too.' },
  { outcome: '+0: 200 "G T / 0"; alive', of: ['a method that is no token'], because: 'Malformed by section 8.3.1; it would have to be escaped in logs and audit.' },
  { outcome: '+0: 200 "CONNECT test 0"; alive', of: ['CONNECT'], because: 'This server is no proxy.' },
  { outcome: REQUEST, of: ['the table resized in the middle of a block'], because: 'RFC 7541 section 4.2 allows it only at the beginning.' },
  {
    outcome: 'any',
    of: [
      'CVE-2023-44487: rapid reset', 'CVE-2025-8671: made to reset by windows beyond the largest', 'CVE-2025-8671: made to reset by windows of 0',
      'CVE-2025-8671: made to reset by DATA behind the end', 'CVE-2025-8671: made to reset by HEADERS behind the end', 'CVE-2025-8671: made to reset by malformed requests',
      'CVE-2019-9511: an answer in steps of one byte', 'CVE-2019-9512: PINGs', 'CVE-2019-9513: PRIORITY', 'CVE-2019-9514: malformed requests, for their resets',
      'CVE-2019-9515: SETTINGS', 'CVE-2019-9518: empty DATA', 'unknown frames', 'WINDOW_UPDATEs of the connection', 'ACKs of PINGs', 'more streams than allowed',
    ],
    because: 'Go bounds what waits to be sent and how many handlers run, not how many frames come; this server and nghttp2 count frames (section 10.5).',
  },
  {
    outcome: 'GOAWAY PROTOCOL_ERROR; closed',
    of: [
      'CVE-2024-27316: CONTINUATION frames without an end', 'CVE-2024-28182: empty CONTINUATION frames without an end',
      'CVE-2023-45288: CONTINUATION frames behind the limit of headers', 'CVE-2019-9518: empty HEADERS',
    ],
    because: 'The same end by another name: ENHANCE_YOUR_CALM says that it was too much, not that it was wrong.',
  },
]; // prettier-ignore

const NODE: readonly Omit<Difference, 'server'>[] = [
  {
    outcome: 'GOAWAY INTERNAL_ERROR; closed',
    of: ['the preface is HTTP/1.1', 'the preface ends wrongly'],
    because: 'Node.js tells of every error of nghttp2 itself by this code; RFC 9113 section 3.4 says PROTOCOL_ERROR.',
  },
  {
    outcome: 'any',
    of: ['the first frame is no SETTINGS', 'the first frame is a request', 'the first frame is an ACK of settings'],
    because: 'nghttp2 wants SETTINGS as well; whether Node.js gets to send a GOAWAY is a matter of time.',
  },
  {
    outcome: 'alive',
    of: ['PRIORITY on the connection', 'a stream that depends on itself by PRIORITY'],
    because: 'Priorities are obsolete and nghttp2 does not look at them any more; Go and this server still hold them to RFC 7540.',
  },
  { outcome: 'GOAWAY FRAME_SIZE_ERROR; closed', of: ['HEADERS too short for their priority'], because: 'Both codes fit: sections 4.2 and 6.2.' },
  { outcome: 'GOAWAY PROTOCOL_ERROR; closed', of: ['an ACK of settings that were not sent'], because: 'RFC 9113 does not forbid it; it is counted as an empty frame.' },
  { outcome: 'GOAWAY PROTOCOL_ERROR; closed', of: ['settings that nobody knows'], because: 'nghttp2 knows setting 9 (RFC 9218) and wants it in the first SETTINGS; this server passes over what it does not know, as Go does.' },
  { outcome: 'GOAWAY INTERNAL_ERROR; closed', of: ['an ACK of a PING that was not sent'], because: 'RFC 9113 does not forbid it; it is counted as an empty frame.' },
  {
    outcome: 'any',
    of: ['a GOAWAY with data, then a request', 'a GOAWAY with an error, then a request', 'GOAWAYs whose last stream grows', 'GOAWAYs', 'CVE-2023-35945: a reset, then GOAWAY'],
    because: 'A GOAWAY of a client speaks of streams that the server opens, which are none. The client says itself when it is done, by closing.',
  },
  { outcome: '+4: 200 "GET / 0"; alive', of: ['a stream with a smaller number, never opened'], because: 'Section 5.1.1 makes it an error of the connection; nghttp2 passes it over.' },
  { outcome: 'GOAWAY STREAM_CLOSED; closed', of: ['DATA behind the end of the stream', 'HEADERS behind the end of the stream'], because: 'Section 5.1 has a stream error for a stream that is half-closed.' },
  { outcome: REQUEST, of: ['DATA on a closed stream', 'HEADERS on a closed stream'], because: 'Section 5.1 allows to pass over frames on closed streams, for a time; this server does so for streams that it reset itself.' },
  { outcome: 'alive', of: ['DATA on a stream that the client has reset', 'HEADERS on a stream that the client has reset'], because: 'As before: a client knows what it has reset.' },
  { outcome: 'any', of: ['DATA for streams that were reset does not close the window of the connection'], because: 'As before: nghttp2 does not answer it.' },
  { outcome: 'GOAWAY INTERNAL_ERROR; closed', of: ['more than the content-length'], because: 'Node.js ends the whole connection; section 8.1.1 has a stream error.' },
  { outcome: REFUSED, of: ['two content-lengths that agree'], because: 'RFC 9110 section 8.6 allows to take them as one, as Go does.' },
  {
    outcome: REQUEST,
    of: [
      'a name with a space', 'a name with a colon inside', 'an empty name', 'a name with a control character', 'a name beyond ASCII', 'a line break in a value', 'a zero in a value',
      'another control character in a value',
    ],
    because: 'nghttp2 drops such a header and goes on; section 8.2.1 calls the request malformed, and Go resets it too.',
  },
  { outcome: REFUSED, of: ['no authority, no host', 'two hosts', 'an authority with a slash', 'a path with a space'], because: 'Nothing here depends on the authority, and Go takes them too; the pipeline looks at paths itself.' },
  { outcome: '+0: 200 "CONNECT / 0"; alive', of: ['CONNECT'], because: 'This server is no proxy; behind the handler of the tests there is nothing that answers 405.' },
  { outcome: 'GOAWAY FLOW_CONTROL_ERROR; closed', of: ['a window of a stream beyond the largest', 'a body beyond its window that nobody reads'], because: 'Section 6.9.1 has a stream error for the window of a stream.' },
  {
    outcome: 'any',
    of: [
      'CVE-2023-44487: rapid reset', 'CVE-2024-27316: CONTINUATION frames without an end', 'CVE-2024-28182: empty CONTINUATION frames without an end',
      'CVE-2023-45288: CONTINUATION frames behind the limit of headers', 'CVE-2019-9515: SETTINGS', 'CVE-2019-9518: empty DATA', 'CVE-2019-9518: empty HEADERS', 'ACKs of PINGs',
      'CVE-2019-9512: PINGs', 'CVE-2025-8671: made to reset by windows beyond the largest', 'CVE-2025-8671: made to reset by malformed requests', 'CVE-2019-9514: malformed requests, for their resets',
      'CVE-2025-8671: made to reset by DATA behind the end', 'CVE-2025-8671: made to reset by HEADERS behind the end', 'more streams than allowed',
    ],
    because: 'The connection ends by another limit or code: Node.js tells of floods by INTERNAL_ERROR or just closes, and nghttp2 ends the connection at the first fault where RFC 9113 has a stream error.',
  },
  { outcome: 'any', of: ['CVE-2019-9511: an answer in steps of one byte', 'WINDOW_UPDATEs of the connection'], because: 'nghttp2 does not count WINDOW_UPDATE frames.' },
]; // prettier-ignore

/** All differences. */
export const DIFFERENCES: readonly Difference[] = [
  ...GO.map((each) => ({ server: 'go' as const, ...each })),
  ...NODE.map((each) => ({ server: 'node' as const, ...each })),
];

/** The outcome expected of a server for a sequence with a given outcome on this server; `any` if it depends on timing. */
export function expectedOutcome(server: ServerName, name: string, own: string): string {
  return DIFFERENCES.find((each) => each.server === server && each.of.includes(name))?.outcome ?? own;
}
