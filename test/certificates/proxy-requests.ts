import tls from 'node:tls';
import { basicConstraints, cn, nameOf } from './der.js';
import { type Identity, identityIn, identityOf } from './identity.js';
import { type Issued, issue, pemOf } from './issue.js';

/** An authority of front proxies, a proxy that is allowed, one that is not, and the flags of a server that trusts them. */
export interface Proxies {
  readonly authority: Issued;
  readonly allowed: readonly Issued[];
  readonly other: readonly Issued[];
  readonly flags: Readonly<Record<Flag, readonly string[]>>;
}

type Flag = 'allowed-names' | 'username-headers' | 'uid-headers' | 'group-headers' | 'extra-headers-prefix';

export function makeProxies(): Proxies {
  const ca = (subject: string, issuer?: Issued) => issue({ subject: nameOf(cn(subject)), issuer, extensions: [basicConstraints()] });
  const authority = ca('proxies');
  const between = ca('proxies between', authority);
  const proxy = (...names: string[]) => issue({ subject: nameOf(...names.map((name) => cn(name))), issuer: between });
  return {
    authority,
    allowed: [proxy('front-proxy'), between],
    other: [proxy('front-proxy', 'another'), between],
    flags: {
      'allowed-names': ['front-proxy'],
      'username-headers': ['X-Remote-User', 'X-Other-User'],
      'uid-headers': ['X-Remote-Uid'],
      'group-headers': ['X-Remote-Group', 'X-More-Groups'],
      'extra-headers-prefix': ['X-Remote-Extra-', 'X-More-Extra-'],
    },
  };
}

type Headers = readonly (readonly [string, string])[];

/** Those of the user ann, with others. */
const ann = (...others: Headers): Headers => [['X-Remote-User', 'ann'], ...others];

/** Requests of a front proxy. Values are the bytes that are sent, one a character. */
const REQUESTS: Readonly<Record<string, Headers>> = {
  'a user': ann(),
  'no user': [],
  'an empty user': [['X-Remote-User', '']],
  'a user of blanks': [['X-Remote-User', '   ']],
  'a user between blanks': [['X-Remote-User', '  ann ']],
  'a user with a blank within': [['X-Remote-User', 'ann b']],
  'a user with a tab within': [['X-Remote-User', 'ann\tb']],
  'two users': ann(['X-Remote-User', 'bob']),
  'an empty user before another': [
    ['X-Remote-User', ''],
    ['X-Remote-User', 'bob'],
  ],
  'an empty user, and one in the second header': [
    ['X-Remote-User', ''],
    ['X-Other-User', 'bob'],
  ],
  'users in both headers, the second first': [
    ['X-Other-User', 'bob'],
    ['X-Remote-User', 'ann'],
  ],
  'two users in one header': [['X-Remote-User', 'ann, bob']],
  'a header in other case': [['x-REMOTE-user', 'ann']],
  'a header with an underscore': [['X_Remote_User', 'ann']],
  'system:anonymous': [['X-Remote-User', 'system:anonymous']],
  'system:anonymous in a group': [
    ['X-Remote-User', 'system:anonymous'],
    ['X-Remote-Group', 'dev'],
  ],
  'system:anonymous in system:authenticated': [
    ['X-Remote-User', 'system:anonymous'],
    ['X-Remote-Group', 'system:authenticated'],
  ],
  'a user in system:unauthenticated': ann(['X-Remote-Group', 'system:unauthenticated']),
  'a user in system:authenticated': ann(['X-Remote-Group', 'system:authenticated']),
  'groups, one of them empty': ann(['X-Remote-Group', 'b'], ['X-Remote-Group', ''], ['X-Remote-Group', 'a, c']),
  'groups in both headers': ann(['X-More-Groups', 'a'], ['X-Remote-Group', 'b'], ['X-More-Groups', 'b']),
  'groups without a user': [['X-Remote-Group', 'system:masters']],
  'a uid': ann(['X-Remote-Uid', 'u1']),
  'two uids': ann(['X-Remote-Uid', ''], ['X-Remote-Uid', 'u2']),
  'extra values': ann(['X-Remote-Extra-Scopes', 'a'], ['x-remote-extra-scopes', 'b'], ['X-Remote-Extra-Empty', '']),
  'extra values in both headers': ann(['X-More-Extra-Scopes', 'a'], ['X-Remote-Extra-Scopes', 'b']),
  'an escaped key': ann(['X-Remote-Extra-Acme.com%2FProject%20A', 'p']),
  'a key that is escaped twice': ann(['X-Remote-Extra-A%252fb', 'p']),
  'a key with a plus': ann(['X-Remote-Extra-A+b', 'p']),
  'a key with a broken escape': ann(['X-Remote-Extra-A%2', 'p'], ['X-Remote-Extra-B%zz', 'q']),
  'a key with a broken escape after a right one': ann(['X-Remote-Extra-A%2f%', 'p']),
  'a key with escaped UTF-8': ann(['X-Remote-Extra-J%C3%B6rg', 'p']),
  'a key with escaped bytes that are not UTF-8': ann(['X-Remote-Extra-A%ff', 'p']),
  'a key with an escaped null': ann(['X-Remote-Extra-A%00b', 'p']),
  'a key with an escaped capital letter': ann(['X-Remote-Extra-%41', 'p']),
  'an empty key': ann(['X-Remote-Extra-', 'p']),
  'the key __proto__': ann(['X-Remote-Extra-__proto__', 'p'], ['X-Remote-Extra-constructor', 'q']),
  'a user in UTF-8': [['X-Remote-User', 'j\xc3\xb6rg']],
  'a user that is not UTF-8': [['X-Remote-User', 'j\xf6rg']],
  'a user with a byte order mark': [['X-Remote-User', '\xef\xbb\xbfann']],
  'a group that is not UTF-8': ann(['X-Remote-Group', 'd\xe9v']),
  'a user beside a wrong token': ann(['Authorization', 'Bearer wrong']),
  'impersonation by a user of the proxy': ann(['Impersonate-User', 'bob']),
  'impersonation of system:anonymous': ann(['Impersonate-User', 'system:anonymous']),
  'impersonation of system:anonymous in a group': ann(['Impersonate-User', 'system:anonymous'], ['Impersonate-Group', 'dev']),
  'impersonation with an escaped key': ann(['Impersonate-User', 'bob'], ['Impersonate-Extra-Acme.com%2Fa', 'p']),
  'impersonation of a user that is not UTF-8': ann(['Impersonate-User', 'b\xf6b']),
};

export type ProxyAnswers = Record<string, Identity | string>;

/** Who a server takes the users of all requests for, over both protocols, and from whom it takes none. */
export async function answersTo(port: number, { allowed, other }: Proxies): Promise<ProxyAnswers> {
  const answers: ProxyAnswers = {};
  for (const [name, headers] of Object.entries(REQUESTS)) {
    answers[`${name}, HTTP/1.1`] = await overHttp1(port, allowed, headers);
    answers[`${name}, HTTP/2`] = await orStatus(identityOf(port, { ...shown(allowed), protocol: 'h2', headers: joined(headers) }));
  }
  answers['a proxy whose last CN is not allowed'] = await overHttp1(port, other, [['X-Remote-User', 'ann']]);
  answers['a proxy without its intermediate authority'] = await overHttp1(port, allowed.slice(0, 1), [['X-Remote-User', 'ann']]);
  answers['no certificate'] = await overHttp1(port, [], [['X-Remote-User', 'ann']]);
  return answers;
}

function shown(sent: readonly Issued[]) {
  const key = sent[0]?.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() ?? '';
  return { shows: sent.map((each) => ({ cert: pemOf(each), key })) };
}

function joined(headers: Headers): Record<string, string[]> {
  const all: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of headers) (all[name.toLowerCase()] ??= []).push(value);
  return all;
}

/** A status that is neither 201 nor 401, as text. */
const orStatus = (identity: Promise<Identity | 'refused'>): Promise<Identity | string> =>
  identity.catch((error: Error) => /^the server answers \d+/.exec(error.message)?.[0] ?? `fails: ${error.message}`);

/** Sends the headers unchanged, which node:http would not. */
async function overHttp1(port: number, sent: readonly Issued[], headers: Headers): Promise<Identity | string> {
  const [first] = shown(sent).shows;
  const credentials = first ? { key: first.key, cert: sent.map(pemOf).join('') } : {};
  const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...credentials });
  const lines = [
    'POST /apis/authentication.k8s.io/v1/selfsubjectreviews HTTP/1.1',
    ...[['Host', 'x'], ['Connection', 'close'], ['Content-Type', 'application/json'], ['Content-Length', '2'], ...headers].map(
      ([name, value]) => `${name}: ${value}`,
    ),
  ];
  socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n{}`, 'latin1'));
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += String(chunk);
  const status = Number(text.slice(9, 12));
  return orStatus(Promise.resolve().then(() => identityIn({ status, text: text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1) })));
}
