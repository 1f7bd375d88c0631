/** Bytes that a client sends, each part by itself. `TOKEN` stands for an administrator's. */
export interface RawCase {
  readonly name: string;
  readonly parts: readonly (string | Buffer)[];
}

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const AUTH = 'Authorization: Bearer TOKEN';
const HOST = 'Host: x';
const JSON_TYPE = 'Content-Type: application/json';
const PATCH_TYPE = 'Content-Type: application/merge-patch+json';
const LEASE = '{"metadata":{"name":"raw"}}';
const SIZE = `Content-Length: ${LEASE.length}`;
const CONTINUE = 'Expect: 100-continue';
const AGAIN = `GET /version HTTP/1.1\r\n${HOST}\r\n${AUTH}\r\n\r\n`;

function request(line: string, headers: readonly string[], body = ''): string {
  return `${[line, ...headers].join('\r\n')}\r\n\r\n${body}`;
}

const get = (path: string, ...headers: string[]) => request(`GET ${path} HTTP/1.1`, [HOST, AUTH, ...headers]);
const post = (headers: readonly string[], body: string, path = `${LEASES}?dryRun=All`) =>
  request(`POST ${path} HTTP/1.1`, [HOST, AUTH, JSON_TYPE, ...headers], body);
const chunked = (...chunks: string[]) => chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');

const named = (family: string, cases: Readonly<Record<string, string | readonly (string | Buffer)[]>>): RawCase[] =>
  Object.entries(cases).map(([name, bytes]) => ({ name: `${family}: ${name}`, parts: typeof bytes === 'string' ? [bytes] : bytes }));

const REQUEST_LINES: Readonly<Record<string, string>> = {
  plain: 'GET /version HTTP/1.1',
  'in lower case': 'get /version HTTP/1.1',
  'HTTP/1.0': 'GET /version HTTP/1.0',
  'HTTP/0.9': 'GET /version',
  'HTTP/1.2': 'GET /version HTTP/1.2',
  'HTTP/2.0': 'GET /version HTTP/2.0',
  'HTTP/11': 'GET /version HTTP/11',
  'http in lower case': 'GET /version http/1.1',
  'no version': 'GET /version ',
  'two spaces before the path': 'GET  /version HTTP/1.1',
  'two spaces before the version': 'GET /version  HTTP/1.1',
  'a tab instead of a space': 'GET\t/version HTTP/1.1',
  'a space in the path': 'GET /ver sion HTTP/1.1',
  'an empty path': 'GET  HTTP/1.1',
  'a relative path': 'GET version HTTP/1.1',
  'an absolute URL': 'GET https://other/version HTTP/1.1',
  'an absolute URL with http': 'GET http://other/version HTTP/1.1',
  'an absolute URL without a path': 'GET https://other HTTP/1.1',
  'an authority': 'GET other:443 HTTP/1.1',
  CONNECT: 'CONNECT other:443 HTTP/1.1',
  'CONNECT with a path': 'CONNECT /version HTTP/1.1',
  'an asterisk': 'GET * HTTP/1.1',
  'OPTIONS with an asterisk': 'OPTIONS * HTTP/1.1',
  'OPTIONS with a path': 'OPTIONS /version HTTP/1.1',
  TRACE: 'TRACE /version HTTP/1.1',
  HEAD: 'HEAD /version HTTP/1.1',
  PRI: 'PRI * HTTP/2.0',
  'an unknown method': 'ODD /version HTTP/1.1',
  'a method with a dash': 'M-SEARCH /version HTTP/1.1',
  'a method with a bad character': 'G@T /version HTTP/1.1',
  'a method of symbols': "!#$%&'*+ /version HTTP/1.1",
  'an empty method': ' /version HTTP/1.1',
  'a fragment': 'GET /version#x HTTP/1.1',
  'two slashes': 'GET //version HTTP/1.1',
  dots: 'GET /api/../version HTTP/1.1',
  'an escaped letter': 'GET /%76ersion HTTP/1.1',
  'an escaped slash': 'GET /api%2Fv1 HTTP/1.1',
  'a bad escape': 'GET /version%zz HTTP/1.1',
  'half an escape': 'GET /version%4 HTTP/1.1',
  'an escaped NUL': 'GET /version%00 HTTP/1.1',
  'UTF-8': 'GET /versiön HTTP/1.1',
  'UTF-8 in the query': 'GET /version?ö=ä HTTP/1.1',
  'a byte that is not UTF-8': 'GET /version?\xff HTTP/1.1',
  'a control character': 'GET /version\x01 HTTP/1.1',
  DEL: 'GET /version\x7f HTTP/1.1',
  'a bad query': 'GET /version?%zz;a=b&&= HTTP/1.1',
  'a semicolon': 'GET /version;a=b HTTP/1.1',
  'a query without a path': 'GET ?a=b HTTP/1.1',
  'brackets and quotes': `GET /version?a=[b]&c="d"|e\\f HTTP/1.1`,
  'a long path': `GET /${'x'.repeat(70_000)} HTTP/1.1`,
};

const requestLines = Object.entries(REQUEST_LINES).map(([name, line]) => ({
  name: `request line: ${name}`,
  parts: [Buffer.from(request(line, [HOST, AUTH]), /\xff/.test(line) ? 'latin1' : 'utf8')],
}));

const starts = named('start', {
  'an empty line before': `\r\n${get('/version')}`,
  'three empty lines before': `\r\n\r\n\r\n${get('/version')}`,
  'a space before': ` ${get('/version')}`,
  'lines end with LF': get('/version').replaceAll('\r\n', '\n'),
  'lines end with CR': get('/version').replaceAll('\r\n', '\r'),
  'the first line ends with LF': get('/version').replace('\r\n', '\n'),
  'byte by byte': [...get('/version').slice(0, 30)].concat(get('/version').slice(30)),
  nothing: '\r\n\r\n',
  'random bytes': [Buffer.from([1, 2, 3, 250, 251, 13, 10, 13, 10])],
  'half a request': 'GET /ver',
});

const hosts = named('host', {
  none: request('GET /version HTTP/1.1', [AUTH]),
  'none over HTTP/1.0': request('GET /version HTTP/1.0', [AUTH]),
  two: get('/version', 'Host: y'),
  'two alike': get('/version', HOST),
  empty: request('GET /version HTTP/1.1', ['Host:', AUTH]),
  'with a port': request('GET /version HTTP/1.1', ['Host: x:443', AUTH]),
  'with a slash': request('GET /version HTTP/1.1', ['Host: x/y', AUTH]),
  'with a space': request('GET /version HTTP/1.1', ['Host: x y', AUTH]),
  'with a user': request('GET /version HTTP/1.1', ['Host: a@x', AUTH]),
  'with UTF-8': request('GET /version HTTP/1.1', ['Host: ö', AUTH]),
  IPv6: request('GET /version HTTP/1.1', ['Host: [::1]:443', AUTH]),
});

const headers = named('header', {
  'without a colon': get('/version', 'X-Odd'),
  'without a value': get('/version', 'X-Odd:'),
  'without a name': get('/version', ': odd'),
  'a space before the colon': get('/version', 'X-Odd : a'),
  'a space before the name': request('GET /version HTTP/1.1', [HOST, AUTH, ' X-Odd: a']),
  'a space before the first name': request('GET /version HTTP/1.1', [' X-Odd: a', HOST, AUTH]),
  folded: get('/version', 'X-Odd: a\r\n b'),
  'folded with a tab': get('/version', 'X-Odd: a\r\n\tb'),
  'a folded host': request('GET /version HTTP/1.1', ['Host: x\r\n y', AUTH]),
  'a bad character in the name': get('/version', 'X@Odd: a'),
  'UTF-8 in the name': get('/version', 'X-Öd: a'),
  'UTF-8 in the value': get('/version', 'X-Odd: ö'),
  'a NUL in the value': get('/version', 'X-Odd: a\0b'),
  'a control character in the value': get('/version', 'X-Odd: a\x01b'),
  'a tab in the value': get('/version', 'X-Odd: a\tb'),
  'a CR in the value': get('/version', 'X-Odd: a\rb'),
  'an underscore in the name': get('/version', 'X_Odd: a'),
  'a hundred headers': get('/version', ...Array.from({ length: 100 }, (_, at) => `X-${at}: a`)),
  'three thousand headers': get('/version', ...Array.from({ length: 3000 }, (_, at) => `X-${at}: a`)),
  'a value of 64 KiB': get('/version', `X-Odd: ${'a'.repeat(65_536)}`),
  'a value of 900 KiB': get('/version', `X-Odd: ${'a'.repeat(900 * 1024)}`),
  'a value of 1.2 MiB': get('/version', `X-Odd: ${'a'.repeat(1_258_291)}`),
  'two tokens': get('/version', 'Authorization: Bearer wrong'),
  'a lower-case name': request('GET /version HTTP/1.1', ['host: x', 'authorization: Bearer TOKEN']),
  'no token': request('GET /version HTTP/1.1', [HOST]),
  'a wrong token': request(`GET ${LEASES} HTTP/1.1`, [HOST, 'Authorization: Bearer wrong']),
  Basic: request(`GET ${LEASES} HTTP/1.1`, [HOST, 'Authorization: Basic YTpi']),
  'an unreadable Accept': get(LEASES, 'Accept: ;;;'),
  'an audit id': get('/version', 'Audit-ID: a b'),
});

const lengths = named('length', {
  right: post([SIZE], LEASE),
  'too short': post(['Content-Length: 5'], LEASE),
  'too long': post([`Content-Length: ${LEASE.length + 5}`], LEASE),
  zero: post(['Content-Length: 0'], ''),
  'zero with a body': post(['Content-Length: 0'], LEASE),
  none: post([], ''),
  'none with a body': post([], LEASE),
  empty: post(['Content-Length:'], LEASE),
  negative: post(['Content-Length: -1'], LEASE),
  'with a plus': post([`Content-Length: +${LEASE.length}`], LEASE),
  hexadecimal: post(['Content-Length: 0x1b'], LEASE),
  'with a fraction': post(['Content-Length: 27.0'], LEASE),
  'with leading zeros': post([`Content-Length: 000${LEASE.length}`], LEASE),
  'beyond 2^63': post(['Content-Length: 9223372036854775808'], LEASE),
  'beyond 2^64': post(['Content-Length: 99999999999999999999999'], LEASE),
  'two alike': post([SIZE, SIZE], LEASE),
  'two that differ': post([SIZE, 'Content-Length: 5'], LEASE),
  'a list of two alike': post([`Content-Length: ${LEASE.length}, ${LEASE.length}`], LEASE),
  'a list of two that differ': post([`Content-Length: ${LEASE.length}, 5`], LEASE),
  'spaces around': post([`Content-Length:   ${LEASE.length}  `], LEASE),
  'and chunked': post([SIZE, 'Transfer-Encoding: chunked'], `${chunked(LEASE)}0\r\n\r\n`),
  'of a GET': get('/version', 'Content-Length: 3').concat('abc'),
  'of a HEAD': request('HEAD /version HTTP/1.1', [HOST, AUTH, 'Content-Length: 3'], 'abc'),
  'of a DELETE': request(`DELETE ${LEASES}/none HTTP/1.1`, [HOST, AUTH, JSON_TYPE, 'Content-Length: 2'], '{}'),
  'above 3 MiB': post(['Content-Length: 3145729'], 'x'.repeat(3_145_729)),
});

const TE = 'Transfer-Encoding: chunked';
const codings = named('coding', {
  chunked: post([TE], `${chunked(LEASE)}0\r\n\r\n`),
  'several chunks': post([TE], `${chunked(LEASE.slice(0, 4), LEASE.slice(4))}0\r\n\r\n`),
  'in capitals': post(['Transfer-Encoding: CHUNKED'], `${chunked(LEASE)}0\r\n\r\n`),
  'with an extension': post([TE], `1b;a=b\r\n${LEASE}\r\n0\r\n\r\n`),
  'with trailers': post([TE], `${chunked(LEASE)}0\r\nX-Odd: a\r\n\r\n`),
  'with a forbidden trailer': post([TE, 'Trailer: Host'], `${chunked(LEASE)}0\r\nHost: y\r\n\r\n`),
  'without the last chunk': post([TE], chunked(LEASE)),
  'with a bad size': post([TE], `zz\r\n${LEASE}\r\n0\r\n\r\n`),
  'with a negative size': post([TE], `-1\r\n${LEASE}\r\n0\r\n\r\n`),
  'with a huge size': post([TE], `ffffffffffffffffff\r\n${LEASE}\r\n0\r\n\r\n`),
  'with 0x': post([TE], `0x1b\r\n${LEASE}\r\n0\r\n\r\n`),
  'with a space after the size': post([TE], `1b \r\n${LEASE}\r\n0\r\n\r\n`),
  'with a chunk that is longer': post([TE], `5\r\n${LEASE}\r\n0\r\n\r\n`),
  'with LF only': post([TE], `1b\n${LEASE}\n0\n\n`),
  twice: post([TE, TE], `${chunked(LEASE)}0\r\n\r\n`),
  'a list': post(['Transfer-Encoding: gzip, chunked'], `${chunked(LEASE)}0\r\n\r\n`),
  identity: post(['Transfer-Encoding: identity', SIZE], LEASE),
  unknown: post(['Transfer-Encoding: odd'], LEASE),
  empty: post(['Transfer-Encoding:', SIZE], LEASE),
  'over HTTP/1.0': request(`POST ${LEASES}?dryRun=All HTTP/1.0`, [HOST, AUTH, JSON_TYPE, TE], `${chunked(LEASE)}0\r\n\r\n`),
  'a content coding': post([SIZE, 'Content-Encoding: gzip'], LEASE),
});

const expecting = (path: string, ...more: string[]) => request(`POST ${path} HTTP/1.1`, [HOST, ...more, SIZE, CONTINUE]);
const expectations = named('expect', {
  'a body that is read': [expecting(`${LEASES}?dryRun=All`, AUTH, JSON_TYPE), LEASE],
  'the body comes at once': expecting(`${LEASES}?dryRun=All`, AUTH, JSON_TYPE) + LEASE,
  'no token': [expecting(LEASES, JSON_TYPE), LEASE],
  'a wrong token': [expecting(LEASES, 'Authorization: Bearer wrong', JSON_TYPE), LEASE],
  'no right': [expecting(LEASES, 'Authorization: Bearer differential-reader', JSON_TYPE), LEASE],
  'an unknown path': [expecting('/nothing', AUTH, JSON_TYPE), LEASE],
  'an unknown resource': [expecting('/apis/coordination.k8s.io/v1/things', AUTH, JSON_TYPE), LEASE],
  'a wrong method': [expecting(`${LEASES}/a`, AUTH, JSON_TYPE), LEASE],
  'a wrong media type': [expecting(LEASES, AUTH, 'Content-Type: text/plain'), LEASE],
  'an impossible Accept': [expecting(LEASES, AUTH, JSON_TYPE, 'Accept: text/html'), LEASE],
  'bad options': [expecting(`${LEASES}?dryRun=Odd`, AUTH, JSON_TYPE), LEASE],
  'a PATCH of a media type': [request(`PATCH ${LEASES}/a HTTP/1.1`, [HOST, AUTH, JSON_TYPE, SIZE, CONTINUE]), LEASE],
  'a PATCH of nothing': [request(`PATCH ${LEASES}/none HTTP/1.1`, [HOST, AUTH, PATCH_TYPE, SIZE, CONTINUE]), LEASE],
  'a document': [expecting('/version', AUTH), LEASE],
  'no body': request('GET /version HTTP/1.1', [HOST, AUTH, CONTINUE]),
  'an empty body': request(`POST ${LEASES} HTTP/1.1`, [HOST, AUTH, JSON_TYPE, 'Content-Length: 0', CONTINUE]),
  'a chunked body': [request(`POST ${LEASES}?dryRun=All HTTP/1.1`, [HOST, AUTH, JSON_TYPE, TE, CONTINUE]), `${chunked(LEASE)}0\r\n\r\n`],
  'HTTP/1.0': [request(`POST ${LEASES}?dryRun=All HTTP/1.0`, [HOST, AUTH, JSON_TYPE, SIZE, CONTINUE]), LEASE],
  'in capitals': [request(`POST ${LEASES}?dryRun=All HTTP/1.1`, [HOST, AUTH, JSON_TYPE, SIZE, 'Expect: 100-CONTINUE']), LEASE],
  'something else': request(`POST ${LEASES}?dryRun=All HTTP/1.1`, [HOST, AUTH, JSON_TYPE, SIZE, 'Expect: 200-ok'], LEASE),
  'the next request after a refusal': [expecting(LEASES, JSON_TYPE), AGAIN],
});

const connections = named('connection', {
  'two requests': AGAIN + AGAIN,
  'ten requests': AGAIN.repeat(10),
  'a POST and a GET': post([SIZE], LEASE) + AGAIN,
  'a refusal and a GET': request(`GET ${LEASES} HTTP/1.1`, [HOST, 'Authorization: Bearer wrong']) + AGAIN,
  'a refused body and a GET': request(`POST ${LEASES} HTTP/1.1`, [HOST, JSON_TYPE, SIZE], LEASE) + AGAIN,
  'an unread body and a GET': request('POST /nothing HTTP/1.1', [HOST, AUTH, SIZE], LEASE) + AGAIN,
  'a GET and garbage': `${AGAIN}\x01\x02\r\n\r\n`,
  close: get('/version', 'Connection: close') + AGAIN,
  'CLOSE in capitals': get('/version', 'Connection: CLOSE'),
  'close in a list': get('/version', 'Connection: keep-alive, close'),
  'keep-alive': get('/version', 'Connection: keep-alive'),
  'an upgrade to h2c': get('/version', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'),
  'an upgrade to a WebSocket': get(
    '/version',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ),
  'HTTP/1.0 and a second': request('GET /version HTTP/1.0', [HOST, AUTH]) + AGAIN,
  'HTTP/1.0 with keep-alive': request('GET /version HTTP/1.0', [HOST, AUTH, 'Connection: keep-alive']),
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'the head in two parts': [get('/version').slice(0, 20), get('/version').slice(20)],
  'the body in two parts': [post([SIZE], LEASE.slice(0, 5)), LEASE.slice(5)],
  'a list': get(LEASES),
  'a long-running path': get(`${LEASES}/a/log`),
});

/** Every conversation, in bytes. */
export const RAW_CASES: readonly RawCase[] = [
  ...requestLines,
  ...starts,
  ...hosts,
  ...headers,
  ...lengths,
  ...codings,
  ...expectations,
  ...connections,
];
