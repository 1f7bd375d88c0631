import { generateKeyPairSync } from 'node:crypto';
import {
  type Subtrees,
  alternatives,
  attribute,
  basicConstraints,
  bits,
  cn,
  element,
  extension,
  general,
  integer,
  keyUsage,
  nameConstraints,
  nameOf,
  NULL,
  o,
  octets,
  oid,
  sequence,
  string,
  time,
  TRUE,
  usages,
} from './der.js';
import { type Description, type Issued, type Keys, CLIENT_AUTH, ecKeys, issue, rsaKeys } from './issue.js';

/** A client's certificates, leaf first, and the authorities that the server trusts for it. */
export interface Shape {
  readonly name: string;
  readonly trusted: readonly Issued[];
  readonly sent: readonly [Issued, ...Issued[]];
}

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const ANY_USAGE = '2.5.29.37.0';
const UID = '1.3.6.1.4.1.57683.2';
const CLIENT = usages(false, CLIENT_AUTH);
const PAST = time('210101000000Z');
const FUTURE = time('20980101000000Z');

type Made = Omit<Shape, 'name'>;

/** Makes each shape anew, with new keys. Each has an authority of its own, so that one server can trust all of them. */
export function makeShapes(): Shape[] {
  return [
    ...names(),
    ...constraints(),
    ...alternativeNames(),
    ...usageShapes(),
    ...chains(),
    ...times(),
    ...algorithms(),
    ...keyShapes(),
    ...encodings(),
    ...strangers(),
  ];
}

let made = 0;
/** An authority of its own name. */
const ca = (description: Description = {}): Issued => {
  const name = `authority ${(made += 1)}`;
  return issue({ subject: nameOf(cn(name)), extensions: [basicConstraints()], ...description });
};
const root = ca;
const shape = (name: string, shapeOf: () => Made): Shape => ({ name, ...shapeOf() });
/** A leaf directly below this trusted authority. */
const signed = (name: string, issuerDescription: Description, description: Description = {}): Shape =>
  shape(name, () => {
    const issuer = root(issuerDescription);
    return { trusted: [issuer], sent: [issue({ issuer, ...description })] };
  });
const leaf = (name: string, description: Description): Shape => signed(name, {}, description);
/** The extensions of a client, and one more. */
const client = (type: string, critical: boolean, content: Buffer): Description => ({
  extensions: [CLIENT, extension(type, critical, content)],
});
/** Those of an authority, and one more. */
const authority = (type: string, critical: boolean, content: Buffer): Description => ({
  extensions: [basicConstraints(), extension(type, critical, content)],
});
/** A leaf below an intermediate authority. */
const below = (name: string, intermediate: Description, description: Description = {}): Shape =>
  shape(name, () => {
    const top = root();
    const issuer = ca({ issuer: top, ...intermediate });
    return { trusted: [top], sent: [issue({ issuer, ...description }), issuer] };
  });

const subject = (...parts: (Buffer | readonly Buffer[])[]): Description => ({ subject: nameOf(...parts) });

function names(): Shape[] {
  return [
    leaf('an ordinary client', {}),
    leaf('an empty subject', subject()),
    leaf('no CN', subject(o('dev'))),
    leaf('an empty CN', subject(cn(''))),
    leaf('an empty CN after another', subject(cn('ann'), cn(''))),
    leaf('several CNs', subject(cn('first'), cn('last'))),
    leaf('several CNs in one relative name', subject([cn('first'), cn('last')])),
    leaf('several Os, one of them twice', subject(o('dev'), o('ops'), o('dev'), cn('ann'))),
    leaf('an empty O', subject(o(''), cn('ann'))),
    leaf('a relative name of several attributes', subject([o('dev'), cn('ann'), o('ops')])),
    leaf('an empty relative name', subject([], cn('ann'))),
    leaf('a uid', subject(cn('ann'), attribute(UID, string('utf8', 'u1')))),
    leaf('two uids', subject(cn('ann'), attribute(UID, string('utf8', 'u1')), attribute(UID, string('utf8', 'u2')))),
    leaf('an empty uid', subject(cn('ann'), attribute(UID, string('utf8', '')))),
    leaf('the group system:authenticated', subject(o('system:authenticated'), cn('ann'))),
    leaf('the group system:unauthenticated', subject(o('system:unauthenticated'), cn('ann'))),
    leaf('the user system:anonymous', subject(cn('system:anonymous'))),
    leaf('the user system:anonymous in a group', subject(o('dev'), cn('system:anonymous'))),
    leaf('a line break and a null in the CN', subject(cn('ann\nO=ops\0x'))),
    leaf('a byte order mark in the CN', subject(cn('\uFEFFann'))),
    leaf('a PrintableString', subject(cn('ann', 'printable'))),
    leaf('a PrintableString with * and &', subject(cn('a*n&', 'printable'))),
    leaf('a PrintableString with an underscore', subject(cn('ann_b', 'printable'))),
    leaf('a PrintableString with UTF-8', subject(cn('änn', 'printable'))),
    leaf('an IA5String', subject(cn('ann@example', 'ia5'))),
    leaf('an IA5String with a byte above 127', subject(cn(Buffer.from([0x61, 0xe9]), 'ia5'))),
    leaf('a NumericString', subject(cn('12 34', 'numeric'))),
    leaf('a NumericString with letters', subject(cn('ann', 'numeric'))),
    leaf('a T61String', subject(cn(Buffer.from([0x61, 0xe9]), 't61'))),
    leaf('a BMPString', subject(cn(Buffer.from('annö', 'utf16le').swap16(), 'bmp'))),
    leaf('a BMPString with a null at its end', subject(cn(Buffer.from('ann\0', 'utf16le').swap16(), 'bmp'))),
    leaf('a BMPString with U+FFFE', subject(cn(Buffer.from('fffe', 'hex'), 'bmp'))),
    leaf('a BMPString with U+FDD0', subject(cn(Buffer.from('0061fdd0', 'hex'), 'bmp'))),
    leaf('a UniversalString', subject(cn(Buffer.from('00000061', 'hex'), 'universal'))),
    leaf('an issuer with a NumericString with letters in the chain', { issuerName: nameOf(cn('x', 'numeric')) }),
  ];
}

const within = (base: Buffer): Subtrees => ({ permitted: [base] });
const outside = (base: Buffer): Subtrees => ({ excluded: [base] });
const DNS = within(general.dns('example.com'));
const EMAIL = within(general.email('example.com'));
const URI = within(general.uri('example.com'));
/** 10.0.0.0/8 */
const TEN = general.ip(10, 0, 0, 0, 255, 0, 0, 0);
const san = (...list: Buffer[]): Description => ({ extensions: [CLIENT, alternatives(false, ...list)] });
const constrained = (name: string, subtrees: Subtrees, description: Description = {}): Shape =>
  below(name, { extensions: [basicConstraints(), nameConstraints(subtrees)] }, description);

function constraints(): Shape[] {
  const directory = general.directory(nameOf(o('dev')));
  return [
    constrained('a directory constraint that the subject violates', within(directory), subject(o('system:masters'), cn('ann'))),
    constrained('a directory constraint that the subject meets', within(directory)),
    constrained('a directory constraint that is not critical', { permitted: [directory], critical: false }, subject(o('ops'), cn('ann'))),
    constrained('an excluded directory', outside(directory)),
    constrained('a DNS constraint, and no alternative names', DNS),
    constrained('a DNS constraint and a name within', DNS, san(general.dns('a.example.com'))),
    constrained('a DNS constraint and the name itself', DNS, san(general.dns('EXAMPLE.com'))),
    constrained('a DNS constraint and a name that ends alike', DNS, san(general.dns('badexample.com'))),
    constrained('a DNS constraint and a name outside', DNS, san(general.dns('a.example.org'))),
    constrained('a DNS constraint that is not critical and a name outside', { ...DNS, critical: false }, san(general.dns('a.org'))),
    constrained('a DNS constraint and an IP address', DNS, san(general.ip(10, 0, 0, 1))),
    constrained('a DNS constraint and a second name outside', DNS, san(general.dns('a.example.com'), general.dns('b.org'))),
    constrained('a DNS constraint with a dot and the name itself', within(general.dns('.example.com')), san(general.dns('example.com'))),
    constrained('a DNS constraint with a dot and a name within', within(general.dns('.example.com')), san(general.dns('a.example.com'))),
    constrained('an empty DNS constraint', within(general.dns('')), san(general.dns('a.org'))),
    constrained('an empty DNS constraint that excludes', outside(general.dns('')), san(general.dns('a.org'))),
    constrained('an excluded DNS name', outside(general.dns('example.com')), san(general.dns('a.example.com'))),
    constrained('an excluded DNS name and another', outside(general.dns('example.com')), san(general.dns('a.example.org'))),
    constrained('an excluded DNS name and a wildcard above it', outside(general.dns('a.example.com')), san(general.dns('*.example.com'))),
    constrained(
      'a permitted and excluded DNS name',
      { ...DNS, excluded: [general.dns('a.example.com')] },
      san(general.dns('a.example.com')),
    ),
    constrained('a name that is no DNS name under a DNS constraint', DNS, san(general.dns('a..example.com'))),
    constrained('an IP constraint and an address within', within(TEN), san(general.ip(10, 9, 8, 7))),
    constrained('an IP constraint and an address outside', within(TEN), san(general.ip(11, 0, 0, 1))),
    constrained('an IPv4 constraint and an IPv6 address', within(TEN), san(general.ip(...Array<number>(16).fill(1)))),
    constrained('an IP constraint with a mask with holes', within(general.ip(10, 0, 0, 0, 255, 0, 255, 0))),
    constrained('an excluded IP range', outside(TEN), san(general.ip(10, 9, 8, 7))),
    constrained('an email constraint and a mailbox of the host', EMAIL, san(general.email('ann@example.com'))),
    constrained('an email constraint and a mailbox of a host below', EMAIL, san(general.email('ann@a.example.com'))),
    constrained('an email constraint and a mailbox outside', EMAIL, san(general.email('ann@example.org'))),
    constrained(
      'a constraint to one mailbox and that mailbox',
      within(general.email('ann@example.com')),
      san(general.email('ann@Example.com')),
    ),
    constrained('a constraint to one mailbox and another', within(general.email('ann@example.com')), san(general.email('Ann@example.com'))),
    constrained('an email constraint and no mailbox', EMAIL, san(general.email('ann'))),
    constrained(
      'an email constraint and an email address in the subject',
      EMAIL,
      subject(cn('ann'), attribute('1.2.840.113549.1.9.1', string('ia5', 'a@b.org'))),
    ),
    constrained('a URI constraint and a URI within', URI, san(general.uri('spiffe://example.com/a'))),
    constrained('a URI constraint and a URI with a port', URI, san(general.uri('https://example.com:80/a'))),
    constrained('a URI constraint and a URI outside', URI, san(general.uri('spiffe://example.org/a'))),
    constrained('a URI constraint and a user in the URI', URI, san(general.uri('https://example.com@example.org/'))),
    constrained('a URI constraint and an address in the URI', URI, san(general.uri('https://10.0.0.1/'))),
    constrained('a URI constraint and a URI without a host', URI, san(general.uri('urn:a'))),
    constrained('a constraint on registered identifiers', within(general.registered('1.2.3'))),
    constrained('a constraint on other names', within(general.other('1.2.3', string('utf8', 'x'))), san(general.dns('a.org'))),
    constrained('a constraint on other names that is not critical', {
      permitted: [general.other('1.2.3', string('utf8', 'x'))],
      critical: false,
    }),
    constrained('an empty constraint', {}),
    below('a constraint that is not DER', authority('2.5.29.30', false, Buffer.from('3005', 'hex'))),
    leaf("a leaf's own constraint", { extensions: [CLIENT, alternatives(false, general.dns('a.org')), nameConstraints(DNS)] }),
    signed('a constraint of the trusted authority', { extensions: [basicConstraints(), nameConstraints(DNS)] }, san(general.dns('a.org'))),
    shape('a constraint that the name of an intermediate authority violates', () => {
      const top = root({ extensions: [basicConstraints(), nameConstraints(DNS)] });
      const issuer = ca({ issuer: top, extensions: [basicConstraints(), alternatives(false, general.dns('a.org'))] });
      return { trusted: [top], sent: [issue({ issuer }), issuer] };
    }),
    shape('a constraint two authorities above', () => {
      const top = root();
      const limited = ca({ issuer: top, extensions: [basicConstraints(), nameConstraints(DNS)] });
      const issuer = ca({ issuer: limited, extensions: [basicConstraints(), nameConstraints(within(general.dns('org')))] });
      return { trusted: [top], sent: [issue({ issuer, ...san(general.dns('a.org')) }), issuer, limited] };
    }),
    shape('two certificates of an authority, the first of them constrained', () => {
      const [top, keys, name] = [root(), ecKeys(), nameOf(cn(`twice ${(made += 1)}`))];
      const limited = ca({ issuer: top, keys, subject: name, extensions: [basicConstraints(), nameConstraints(DNS)] });
      const free = ca({ issuer: top, keys, subject: name });
      return { trusted: [top], sent: [issue({ issuer: free, ...san(general.dns('a.org')) }), limited, free] };
    }),
  ];
}

function alternativeNames(): Shape[] {
  const other = general.other('1.3.6.1.4.1.311.20.2.3', string('utf8', 'ann@example.com'));
  const with_ = (critical: boolean, ...list: Buffer[]) => ({ extensions: [CLIENT, alternatives(critical, ...list)] });
  return [
    leaf('a critical DNS name', with_(true, general.dns('a.org'))),
    leaf('a critical other name', with_(true, other)),
    leaf('a critical other name beside a DNS name', with_(true, other, general.dns('a.org'))),
    leaf('an other name', with_(false, other)),
    leaf('a critical directory name', with_(true, general.directory(nameOf(cn('x'))))),
    leaf('no alternative names in a critical extension', with_(true)),
    leaf('an empty subject and a critical DNS name', { subject: nameOf(), ...with_(true, general.dns('a.org')) }),
    leaf('a DNS name that is not ASCII', with_(false, element(0x82, Buffer.from('ä.org')))),
    leaf('an IP address of five bytes', with_(false, general.ip(1, 2, 3, 4, 5))),
    leaf('a URI that is none', with_(false, general.uri('https://a b/'))),
    leaf('alternative names that are not DER', client('2.5.29.17', false, Buffer.from('3082', 'hex'))),
  ];
}

function usageShapes(): Shape[] {
  const eku = (...types: string[]) => ({ extensions: [basicConstraints(), usages(false, ...types)] });
  return [
    leaf('no extended key usage', { extensions: [] }),
    leaf('any extended key usage', { extensions: [usages(false, ANY_USAGE)] }),
    leaf('usage by servers', { extensions: [usages(false, SERVER_AUTH)] }),
    leaf('usage by servers and clients, critical', { extensions: [usages(true, SERVER_AUTH, CLIENT_AUTH)] }),
    leaf('an unknown usage', { extensions: [usages(false, '1.2.3.4')] }),
    leaf('an empty list of usages', { extensions: [usages(false)] }),
    leaf('usages that are not DER', { extensions: [extension('2.5.29.37', false, Buffer.from('3005', 'hex'))] }),
    leaf('usage by servers twice', { extensions: [usages(false, SERVER_AUTH), usages(false, SERVER_AUTH)] }),
    below('an authority for servers', eku(SERVER_AUTH)),
    below('an authority for clients', eku(CLIENT_AUTH)),
    below('an authority for any usage', eku(ANY_USAGE)),
    signed('a trusted authority for servers', eku(SERVER_AUTH)),
    leaf('a leaf that may only sign certificates', { extensions: [CLIENT, keyUsage(0x04)] }),
    leaf('a leaf that may sign', { extensions: [CLIENT, keyUsage(0x80)] }),
    below('an authority that may not sign certificates', { extensions: [basicConstraints(), keyUsage(0x80)] }),
    below('an authority that may sign certificates', { extensions: [basicConstraints(), keyUsage(0x04)] }),
    below('an authority whose key usage has no bits', { extensions: [basicConstraints(), keyUsage(0)] }),
    leaf('an unknown critical extension', client('1.2.3.4', true, NULL)),
    leaf('an unknown extension', client('1.2.3.4', false, NULL)),
    below('an authority with an unknown critical extension', authority('1.2.3.4', true, NULL)),
    signed('a trusted authority with an unknown critical extension', authority('1.2.3.4', true, NULL)),
    leaf('a critical authority key identifier', client('2.5.29.35', true, sequence(element(0x80, Buffer.from('x'))))),
    leaf('an authority key identifier of another', client('2.5.29.35', false, sequence(element(0x80, Buffer.from('x'))))),
    leaf('a critical subject key identifier', client('2.5.29.14', true, octets(Buffer.from('x')))),
    leaf('a subject key identifier that is not DER', client('2.5.29.14', false, Buffer.from('0405', 'hex'))),
    leaf('critical information about the authority', client('1.3.6.1.5.5.7.1.1', true, sequence())),
    leaf('critical points of revocation lists', client('2.5.29.31', true, sequence())),
    leaf('critical policies', client('2.5.29.32', true, sequence(sequence(oid('1.2.3'))))),
    leaf('a policy twice', client('2.5.29.32', false, sequence(sequence(oid('1.2.3')), sequence(oid('1.2.3'))))),
    below('an authority that requires a policy', authority('2.5.29.36', true, sequence(element(0x80, Buffer.from([0]))))),
    below('an authority that requires a policy, not critical', authority('2.5.29.36', false, sequence(element(0x80, Buffer.from([0]))))),
    below('an authority that inhibits any policy', authority('2.5.29.54', true, integer(0))),
    below('an authority that maps policies', authority('2.5.29.33', true, sequence(sequence(oid('1.2.3'), oid('1.2.4'))))),
  ];
}

/** A chain below a trusted authority of this many intermediate ones. */
const chain = (count: number, top = root()): Issued[] => {
  const list: Issued[] = [];
  for (let n = 0; n < count; n++) list.unshift(ca({ issuer: list[0] ?? top }));
  return list;
};

function chains(): Shape[] {
  return [
    ...[1, 2, 10].map((count) =>
      shape(`${count} intermediate authorities`, () => {
        const top = root();
        const list = chain(count, top);
        return { trusted: [top], sent: [issue({ issuer: list[0] }), ...list] };
      }),
    ),
    shape('ten intermediate authorities in the other order', () => {
      const top = root();
      const list = chain(10, top);
      return { trusted: [top], sent: [issue({ issuer: list[0] }), ...list.toReversed()] };
    }),
    shape('an intermediate authority that is not sent', () => {
      const top = root();
      const list = chain(3, top);
      return { trusted: [top], sent: [issue({ issuer: list[0] }), list[0] as Issued, list[2] as Issued] };
    }),
    shape('a trusted intermediate authority', () => {
      const [issuer] = chain(1) as [Issued];
      return { trusted: [issuer], sent: [issue({ issuer })] };
    }),
    shape('a trusted leaf', () => {
      const own = issue({ issuer: root() });
      return { trusted: [own], sent: [own] };
    }),
    shape('a trusted leaf for servers', () => {
      const own = issue({ extensions: [usages(false, SERVER_AUTH)] });
      return { trusted: [own], sent: [own] };
    }),
    shape('a self-signed certificate', () => ({ trusted: [root()], sent: [issue({})] })),
    shape('an authority of the same name', () => {
      const top = root();
      return { trusted: [top], sent: [issue({ issuer: { ...root(), name: top.name } })] };
    }),
    shape('two trusted authorities of one name', () => {
      const [first, second] = [root(), root()];
      const [one, two] = [root({ subject: first.name }), root({ subject: first.name })];
      return { trusted: [one, two, second], sent: [issue({ issuer: two })] };
    }),
    shape('an authority of the same name before the right one', () => {
      const top = root();
      const issuer = ca({ issuer: top });
      const same = ca({ issuer: top, subject: issuer.name });
      return { trusted: [top], sent: [issue({ issuer }), same, issuer] };
    }),
    shape('an authority certified by two others, one trusted', () => {
      const [top, stranger] = [root(), root()];
      const issuer = ca({ issuer: stranger });
      const crossed = ca({ issuer: top, keys: issuer, subject: issuer.name });
      return { trusted: [top], sent: [issue({ issuer }), issuer, crossed] };
    }),
    shape('two authorities that certify each other', () => {
      const [one, two] = [ca(), ca()];
      const first = ca({ issuer: two, keys: one, subject: one.name });
      const second = ca({ issuer: one, keys: two, subject: two.name });
      return { trusted: [root()], sent: [issue({ issuer: one }), first, second] };
    }),
    signed('a forged signature', {}, { signWith: root() }),
    shape('a leaf that issues', () => {
      const top = root();
      const issuer = issue({ issuer: top, subject: nameOf(cn('bob')) });
      return { trusted: [top], sent: [issue({ issuer }), issuer] };
    }),
    below('an authority without basic constraints', { extensions: [] }),
    below('an authority whose basic constraints say that it is none', { extensions: [extension('2.5.29.19', true, sequence())] }),
    below('an authority whose basic constraints are not critical', { extensions: [basicConstraints(undefined, false)] }),
    below('an authority by its key usage alone', { extensions: [keyUsage(0x04)] }),
    below('an authority of version 1', { version: 1, extensions: [] }),
    signed('a trusted authority of version 1', { version: 1, extensions: [] }),
    signed('a trusted authority without basic constraints', { extensions: [] }),
    leaf('a client that is an authority', { extensions: [basicConstraints(), CLIENT] }),
    leaf('a client with a path length, but no authority', { extensions: [extension('2.5.29.19', true, sequence(integer(0))), CLIENT] }),
    ...[0, 1].map((length) =>
      shape(`a path length of ${length} with one authority below`, () => {
        const top = root({ extensions: [basicConstraints(length)] });
        const list = chain(1, top);
        return { trusted: [top], sent: [issue({ issuer: list[0] }), ...list] };
      }),
    ),
    shape('a path length of an intermediate authority that is exceeded', () => {
      const top = root();
      const limited = ca({ issuer: top, extensions: [basicConstraints(0)] });
      const issuer = ca({ issuer: limited });
      return { trusted: [top], sent: [issue({ issuer }), issuer, limited] };
    }),
    below('a negative path length', { extensions: [extension('2.5.29.19', true, sequence(TRUE, Buffer.from('0201ff', 'hex')))] }),
    shape('the name of the issuer in another type of string', () => {
      const issuer = root({ subject: nameOf(cn(`string ${(made += 1)}`)) });
      return { trusted: [issuer], sent: [issue({ issuer, issuerName: nameOf(cn(`string ${made}`, 'printable')) })] };
    }),
    shape('the name of the issuer in another case', () => {
      const issuer = root({ subject: nameOf(cn(`case ${(made += 1)}`)) });
      return { trusted: [issuer], sent: [issue({ issuer, issuerName: nameOf(cn(`CASE ${made}`)) })] };
    }),
  ];
}

function times(): Shape[] {
  return [
    leaf('an expired leaf', { notAfter: PAST }),
    leaf('a leaf that is not valid yet', { notBefore: FUTURE }),
    leaf('a leaf that expires before it begins', { notBefore: FUTURE, notAfter: PAST }),
    below('an expired authority', { notAfter: PAST }),
    below('an authority that is not valid yet', { notBefore: FUTURE }),
    signed('an expired trusted authority', { notAfter: PAST }),
    leaf('a date before 2050 as GeneralizedTime', { notBefore: time('20200101000000Z') }),
    leaf('no expiry', { notAfter: time('99991231235959Z') }),
    leaf('a date in 1950', { notBefore: time('500101000000Z') }),
    leaf('a date in 2049 as UTCTime', { notAfter: time('491231235959Z') }),
    leaf('a time with an offset', { notBefore: time('200101000000+0100') }),
    leaf('a time with fractions of a second', { notAfter: time('20990101000000.5Z') }),
    leaf('an expiry on 31 February', { notAfter: time('20980231000000Z') }),
    leaf('a beginning that is no time', { notBefore: time('200199000000Z') }),
  ];
}

function algorithms(): Shape[] {
  const rsa = rsaKeys(2048);
  const small = rsaKeys(1024);
  const tiny = rsaKeys(768);
  const ed = generateKeyPairSync('ed25519');
  return [
    signed('RSA-2048', { keys: rsa }),
    signed('RSA-2048 with SHA-1', { keys: rsa }, { hash: 'sha1' }),
    signed('RSA-2048 with SHA-1 by its other name', { keys: rsa }, { hash: 'sha1', algorithm: sequence(oid('1.3.14.3.2.29'), NULL) }),
    signed('RSA-2048 with MD5', { keys: rsa }, { hash: 'md5' }),
    signed('RSA-2048 with SHA-224', { keys: rsa }, { hash: 'sha224' }),
    signed('RSA-2048 with SHA-512', { keys: rsa }, { hash: 'sha512' }),
    signed('RSA-2048, without parameters', { keys: rsa }, { algorithm: sequence(oid('1.2.840.113549.1.1.11')) }),
    signed('RSA-PSS with SHA-256', { keys: rsa }, { pss: { saltLength: 32 } }),
    signed('RSA-PSS with SHA-256, without null', { keys: rsa }, { pss: { saltLength: 32, withNull: false } }),
    signed('RSA-PSS with SHA-512', { keys: rsa }, { hash: 'sha512', pss: { saltLength: 64 } }),
    signed('RSA-PSS with a short salt', { keys: rsa }, { pss: { saltLength: 20 } }),
    signed('RSA-PSS with SHA-1', { keys: rsa }, { hash: 'sha1', pss: { saltLength: 20 } }),
    signed('RSA-PSS with SHA-1 by default', { keys: rsa }, { hash: 'sha1', pss: { saltLength: 20, defaults: true } }),
    signed('an authority of RSA-1024', { keys: small }),
    signed('an authority of RSA-768', { keys: tiny }),
    signed('an authority of P-384', { keys: ecKeys('P-384') }, { hash: 'sha384' }),
    signed('an authority of P-521', { keys: ecKeys('P-521') }, { hash: 'sha512' }),
    signed('an authority of P-224', { keys: ecKeys('P-224') }),
    signed('an authority of Ed25519', { keys: ed }),
    signed('ECDSA with SHA-1', {}, { hash: 'sha1' }),
    signed('ECDSA with SHA-224', {}, { hash: 'sha224' }),
    leaf('a leaf of RSA-2048', { keys: rsa }),
    leaf('a leaf of RSA-1024', { keys: small }),
    leaf('a leaf of P-384', { keys: ecKeys('P-384') }),
    leaf('a leaf of P-521', { keys: ecKeys('P-521') }),
    leaf('a leaf of Ed25519', { keys: ed }),
    leaf('a leaf of secp256k1', { keys: ecKeys('secp256k1') }),
    leaf('a leaf of Ed448', { keys: generateKeyPairSync('ed448') }),
    leaf('a leaf of an RSA-PSS key', { keys: generateKeyPairSync('rsa-pss', { modulusLength: 2048 }) }),
    below('an intermediate authority of secp256k1', { keys: ecKeys('secp256k1') }),
    below('an intermediate authority of Ed448', { keys: generateKeyPairSync('ed448') }),
    below('an intermediate authority signed with SHA-1', { hash: 'sha1' }),
    signed('a trusted authority that signed itself with SHA-1', { hash: 'sha1' }),
    leaf('another algorithm outside than within', { outerAlgorithm: sequence(oid('1.2.840.10045.4.3.3')) }),
    leaf('an unknown algorithm', { algorithm: sequence(oid('1.2.3.4')) }),
  ];
}

/** Keys that are described in another way than usual. */
function keyShapes(): Shape[] {
  const [rsa, ec, ed] = [rsaKeys(2048), ecKeys(), generateKeyPairSync('ed25519')];
  const spki = ({ publicKey }: Keys) => publicKey.export({ type: 'spki', format: 'der' });
  const explicit: Keys = generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' });
  const point = spki(ec).subarray(-64);
  const compressed = Buffer.concat([Buffer.from([2 + ((point[63] ?? 0) & 1)]), point.subarray(0, 32)]);
  const p256 = sequence(oid('1.2.840.10045.2.1'), oid('1.2.840.10045.3.1.7'));
  const withoutNull = sequence(sequence(oid('1.2.840.113549.1.1.1')), element(0x03, spki(rsa).subarray(-271)));
  const large: Keys = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 0x80000001 });
  const small: Keys = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 });
  const shapesOf = (name: string, keys: Keys, publicKeyInfo?: Buffer) => [
    leaf(`a leaf of ${name}`, { keys, publicKeyInfo }),
    below(`an intermediate authority of ${name}`, { keys, publicKeyInfo }),
  ];
  return [
    ...shapesOf('P-256 with a compressed point', ec, sequence(p256, bits(compressed))),
    ...shapesOf('P-256 with explicit parameters', explicit),
    ...shapesOf('RSA without the null', rsa, withoutNull),
    ...shapesOf('RSA with an exponent above 2^31', large),
    ...shapesOf('RSA with the exponent 3', small),
    signed('a trusted authority of RSA with an exponent above 2^31', { keys: large }),
    signed('Ed25519 with a null', { keys: ed }, { algorithm: sequence(oid('1.3.101.112'), NULL) }),
    signed('ECDSA with a null', {}, { algorithm: sequence(oid('1.2.840.10045.4.3.2'), NULL) }),
  ];
}

/** What a former look at all of the above had not thought of. */
function strangers(): Shape[] {
  const usage = (hex: string): Description => authority('2.5.29.15', true, Buffer.from(hex, 'hex'));
  return [
    shape('a renewed certificate of the trusted authority, as a client', () => {
      const top = root();
      return { trusted: [top], sent: [issue({ issuer: top, keys: top, subject: top.name })] };
    }),
    shape('an authority that certifies its own name and key with other alternative names', () => {
      const top = root();
      const san = alternatives(false, general.dns('a.org'));
      return { trusted: [top], sent: [issue({ issuer: top, keys: top, subject: top.name, extensions: [CLIENT, san] })] };
    }),
    ...(['a client that cannot be read', 'an authority that cannot be read'] as const).map((name) =>
      shape(`an unneeded certificate of ${name}`, () => {
        const issuer = root();
        const serial = Buffer.from('0201ff', 'hex');
        return { trusted: [issuer], sent: [issue({ issuer }), name.includes('client') ? issue({ serial }) : ca({ serial })] };
      }),
    ),
    shape('the right authority after twenty unneeded ones', () => {
      const top = root();
      const issuer = ca({ issuer: top });
      return { trusted: [top], sent: [issue({ issuer }), ...Array.from({ length: 20 }, () => ca()), issuer] };
    }),
    below('an authority whose key usage ends with bits that do not count', usage('03020784')),
    below('an authority whose key usage has only a bit without a meaning', usage('0304000000' + '01')),
    below('an authority whose basic constraints go on', {
      extensions: [extension('2.5.29.19', true, sequence(TRUE, integer(3), integer(4)))],
    }),
    leaf('a name of two attributes in one', subject(cn('ann'), Buffer.concat([o('a'), o('b')]))),
    constrained(
      'an excluded IPv4 range and an address within as IPv6',
      outside(TEN),
      san(general.ip(...Array<number>(10).fill(0), 255, 255, 10, 9, 8, 7)),
    ),
    constrained('an excluded DNS name with a dot at its end', outside(general.dns('example.com')), san(general.dns('a.example.com.'))),
    constrained('a DNS constraint and a dot at the end', DNS, san(general.dns('a.example.com.'))),
    constrained('a DNS constraint and a wildcard', DNS, san(general.dns('*.example.com'))),
    constrained('a DNS constraint and a wildcard above it', DNS, san(general.dns('*.com'))),
    constrained(
      'an excluded DNS name and a wildcard two above it',
      outside(general.dns('b.a.example.com')),
      san(general.dns('*.example.com')),
    ),
    constrained(
      'an excluded DNS name and a wildcard within a label',
      outside(general.dns('ab.example.com')),
      san(general.dns('a*.example.com')),
    ),
    constrained('an email constraint and a mailbox in quotes', EMAIL, san(general.email('"ann"@example.com'))),
    constrained(
      'an excluded mailbox and the same in quotes',
      outside(general.email('ann@example.com')),
      san(general.email('"ann"@example.com')),
    ),
    constrained('an excluded mailbox in quotes', outside(general.email('"ann"@example.com')), san(general.email('ann@example.com'))),
    constrained('a URI constraint and two users in the URI', URI, san(general.uri('https://a@b@example.com/'))),
    constrained('a URI constraint and an escaped host', URI, san(general.uri('https://%65xample.com/'))),
    below(
      'a constraint with a minimum',
      authority('2.5.29.30', true, sequence(element(0xa0, sequence(general.dns('org'), element(0x80, Buffer.from([1])))))),
    ),
  ];
}

function encodings(): Shape[] {
  return [
    leaf('version 1', { version: 1, extensions: [] }),
    leaf('version 1 with extensions', { version: 1 }),
    leaf('version 2', { version: 2, extensions: [] }),
    leaf('version 4', { version: 4 }),
    leaf('a negative serial number', { serial: Buffer.from('0201ff', 'hex') }),
    leaf('the serial number 0', { serial: Buffer.from('020100', 'hex') }),
    leaf('a serial number of 40 bytes', { serial: element(0x02, Buffer.alloc(40, 1)) }),
    below('an authority with a negative serial number', { serial: Buffer.from('0201ff', 'hex') }),
    leaf('an extension twice', { extensions: [CLIENT, extension('1.2.3.4', false, NULL), extension('1.2.3.4', false, NULL)] }),
    leaf('alternative names twice', {
      extensions: [CLIENT, alternatives(false, general.dns('a.org')), alternatives(false, general.dns('b.org'))],
    }),
    below('an authority with basic constraints twice', authority('2.5.29.19', true, sequence())),
    leaf('a criticality of false that is spelled out', {
      extensions: [CLIENT, sequence(oid('1.2.3.4'), Buffer.from('010100', 'hex'), octets(NULL))],
    }),
    leaf('a criticality of 1', { extensions: [CLIENT, sequence(oid('1.2.3.4'), Buffer.from('010101', 'hex'), octets(NULL))] }),
    leaf('an empty list of extensions', { extensions: [Buffer.alloc(0)] }),
    leaf('a CN in an attribute of another type that begins alike', subject(cn('ann'), attribute('2.5.4.3.1', string('utf8', 'root')))),
    leaf('a length in more bytes than needed', { subject: Buffer.concat([Buffer.from('30810e', 'hex'), nameOf(cn('ann')).subarray(2)]) }),
  ];
}
