/** An intended difference below the API. */
interface RawDeclaration {
  /** The words with which docs/compatibility.md declares it. */
  readonly documented: string;
  /** Names of cases. */
  readonly cases: readonly string[];
  /** What either server does, as one line. */
  readonly upstream: RegExp;
  readonly ours: RegExp;
}

const ACCEPTED = /^HTTP\/1\.1 20[01] .* ; open$/;
const REFUSED =
  /^HTTP\/1\.1 400 Bad Request \| connection: close \| content-type: text\/plain; charset=utf-8 \| "400 Bad Request" ; closed$/;

export const DECLARED_RAW: readonly RawDeclaration[] = [
  {
    documented: 'What proxies read in different ways is refused with 400',
    cases: [
      ...['UTF-8 in the query', 'a byte that is not UTF-8', 'HTTP/1.2'].map((name) => `request line: ${name}`),
      ...['start: lines end with LF', 'start: the first line ends with LF', 'header: folded', 'header: folded with a tab'],
      ...['header: a space before the name', 'length: two alike', 'length: and chunked', 'coding: with a space after the size'],
    ],
    upstream: ACCEPTED,
    ours: REFUSED,
  },
  {
    documented: 'What proxies read in different ways is refused with 400',
    cases: ['request line: UTF-8', 'request line: PRI', 'request line: an authority'],
    upstream: /^HTTP\/1\.1 404 Not Found .* "404 page not found" ; open$/,
    ours: REFUSED,
  },
  {
    documented: 'What proxies read in different ways is refused with 400',
    cases: ['start: lines end with CR'],
    upstream: /^open$/,
    ours: REFUSED,
  },
  {
    documented: 'the text of a 400 says less',
    cases: ['header: a space before the colon', 'header: a folded host'],
    upstream: /^HTTP\/1\.1 400 Bad Request: (invalid header name|malformed Host header) \| connection: close .* ; closed$/,
    ours: REFUSED,
  },
  {
    documented: 'A body whose chunks are malformed gets 400, not 500',
    cases: ['a bad size', 'a negative size', 'a huge size', '0x', 'a chunk that is longer', 'LF only'].map(
      (name) => `coding: with ${name}`,
    ),
    upstream: /^HTTP\/1\.1 500 Internal Server Error \| connection: close .*chunk.* ; closed$/,
    ours: REFUSED,
  },
  {
    documented: 'transfer codings that are repeated, empty or `identity`',
    cases: ['coding: twice', 'coding: identity', 'coding: empty'],
    upstream: /^HTTP\/1\.1 501 Not Implemented .*"Unsupported transfer encoding" ; closed$/,
    ours: REFUSED,
  },
  {
    documented: 'Responses to HTTP/1.0 say HTTP/1.1',
    cases: ['request line: HTTP/1.0', 'host: none over HTTP/1.0', 'expect: HTTP/1.0', 'connection: HTTP/1.0 and a second'],
    upstream: /^HTTP\/1\.0 20[01] \w+ \| content-type: application\/json \| a \w+ ; closed$/,
    ours: /^HTTP\/1\.1 20[01] \w+ \| connection: close \| content-type: application\/json \| a \w+ ; closed$/,
  },
  {
    documented: 'Responses to HTTP/1.0 say HTTP/1.1',
    cases: ['connection: HTTP/1.0 with keep-alive'],
    upstream: /^HTTP\/1\.0 200 OK \| connection: keep-alive .* ; open$/,
    ours: ACCEPTED,
  },
  {
    documented: 'a chunked body is read, and the connection ends',
    cases: ['coding: over HTTP/1.0'],
    upstream: /^HTTP\/1\.0 400 .*\(<empty>\)" ; closed$/,
    ours: /^HTTP\/1\.1 201 Created \| connection: close .* ; closed$/,
  },
  {
    documented: 'Empty lines before a request, and several spaces within its first line, are ignored',
    cases: [
      'request line: two spaces before the path',
      'request line: two spaces before the version',
      'start: an empty line before',
    ].concat(['start: three empty lines before']),
    upstream: REFUSED,
    ours: ACCEPTED,
  },
  {
    documented: 'Empty lines before a request, and several spaces within its first line, are ignored',
    cases: ['start: nothing'],
    upstream: REFUSED,
    ours: /^open$/,
  },
  {
    documented: 'A URL of a host alone is that of the index',
    cases: ['request line: an absolute URL without a path'],
    upstream: /^HTTP\/1\.1 404 Not Found .* ; open$/,
    ours: ACCEPTED,
  },
  {
    documented: '`CONNECT` ends the connection without an answer',
    cases: ['request line: CONNECT', 'request line: CONNECT with a path'],
    upstream: /^HTTP\/1\.1 40[45] .* ; open$/,
    ours: /^closed$/,
  },
  {
    documented: 'and so does the response to a method that Node.js does not know',
    cases: ['in lower case', 'an unknown method', 'a method of symbols'].map((name) => `request line: ${name}`),
    upstream: /^HTTP\/1\.1 405 Method Not Allowed \| content-type: application\/json \| "[^"]+" ; open$/,
    ours: /^HTTP\/1\.1 405 Method Not Allowed \| connection: close \| content-type: application\/json \| "[^"]+" ; closed$/,
  },
  {
    documented: 'to one that expects a 100 without having a body',
    cases: ['expect: no body', 'expect: an empty body'],
    upstream: /^HTTP\/1\.1 (200|400) [\w ]+ \| content-type: application\/json .* ; open$/,
    ours: /^HTTP\/1\.1 (200|400) [\w ]+ \| connection: close \| content-type: application\/json .* ; closed$/,
  },
  {
    documented: 'and to an upgrade that does not come about',
    cases: ['connection: an upgrade to a WebSocket'],
    upstream: ACCEPTED,
    ours: /^HTTP\/1\.1 200 OK \| connection: close .* ; closed$/,
  },
  {
    documented: 'Bytes that cannot begin a request end the connection at once',
    cases: ['length: too short', 'length: zero with a body', 'length: none with a body'],
    upstream: /^HTTP\/1\.1 400 Bad Request \| content-type: application\/json \| "the object provided .*" ; open$/,
    ours: /^HTTP\/1\.1 400 Bad Request \| content-type: application\/json \| "the object provided .*" ; HTTP\/1\.1 400 Bad Request \| connection: close .* ; closed$/,
  },
  {
    documented: 'A request has at most 2,000 headers',
    cases: ['header: three thousand headers'],
    upstream: ACCEPTED,
    ours: /^HTTP\/1\.1 431 Request Header Fields Too Large \| connection: close .* ; closed$/,
  },
  {
    documented: 'The reason phrase of 413 is `Payload Too Large`',
    cases: ['length: above 3 MiB'],
    upstream: /^HTTP\/1\.1 413 Request Entity Too Large \|.*: limit is 3145728" ; open$/,
    ours: /^HTTP\/1\.1 413 Payload Too Large \|.*: limit is 3145728" ; open$/,
  },
  {
    documented: 'Documents are not chunked',
    cases: ['request line: an escaped slash'],
    upstream: /^HTTP\/1\.1 200 OK \| content-type: application\/json \| transfer-encoding: chunked \| a APIResourceList ; open$/,
    ours: /^HTTP\/1\.1 200 OK \| content-type: application\/json \| a APIResourceList ; open$/,
  },
  {
    documented: 'The preface of HTTP/2 where TLS has agreed on HTTP/1.1 gets 400',
    cases: ['connection: the preface of HTTP/2'],
    upstream: /^HTTP\/1\.1 403 Forbidden \| connection: close .*cannot pri path.* ; closed$/,
    ours: REFUSED,
  },
];
