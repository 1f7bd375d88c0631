import { type KeyObject, constants, generateKeyPairSync, sign } from 'node:crypto';
import { bits, cn, element, integer, nameOf, NULL, o, oid, sequence, time, usages } from './der.js';

export interface Keys {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** A certificate, its keys, and the name and keys for certificates below it. */
export interface Issued extends Keys {
  readonly der: Buffer;
  readonly name: Buffer;
}

export type Hash = 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';

/** Everything about a certificate that is not as usual. */
export interface Description {
  /** Default: self-signed. */
  readonly issuer?: Issued;
  readonly issuerName?: Buffer;
  readonly subject?: Buffer;
  readonly keys?: Keys;
  readonly signWith?: Keys;
  readonly hash?: Hash;
  /** RSA-PSS with salts of this length; its hash is `hash`. */
  readonly pss?: { readonly saltLength: number; readonly withNull?: boolean; readonly defaults?: boolean };
  /** The algorithm as it is named in the certificate, both within and outside. */
  readonly algorithm?: Buffer;
  readonly outerAlgorithm?: Buffer;
  readonly version?: number;
  readonly serial?: Buffer;
  readonly notBefore?: Buffer;
  readonly notAfter?: Buffer;
  /** The key as it is described in the certificate. */
  readonly publicKeyInfo?: Buffer;
  readonly extensions?: readonly Buffer[];
}

export const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

export const ecKeys = (namedCurve = 'P-256'): Keys => generateKeyPairSync('ec', { namedCurve });
export const rsaKeys = (modulusLength: number): Keys => generateKeyPairSync('rsa', { modulusLength });

let serial = 1;

// eslint-disable-next-line complexity -- one default a field
export function issue(description: Description): Issued {
  const keys = description.keys ?? ecKeys();
  const subject = description.subject ?? nameOf(o('dev'), cn('ann'));
  const signer = description.signWith ?? description.issuer ?? keys;
  const algorithm = description.algorithm ?? algorithmOf(signer.privateKey, description);
  const version = description.version ?? 3;
  const extensions = description.extensions ?? [usages(false, CLIENT_AUTH)];
  const body = sequence(
    ...(version === 1 ? [] : [element(0xa0, integer(version - 1))]),
    description.serial ?? integer(serial++),
    algorithm,
    description.issuerName ?? description.issuer?.name ?? subject,
    sequence(description.notBefore ?? time('200101000000Z'), description.notAfter ?? time('20990101000000Z')),
    subject,
    description.publicKeyInfo ?? keys.publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [element(0xa3, sequence(...extensions))]),
  );
  const der = sequence(body, description.outerAlgorithm ?? algorithm, bits(signatureOf(body, signer.privateKey, description)));
  return { privateKey: keys.privateKey, publicKey: keys.publicKey, der, name: subject };
}

const RSA = { md5: 4, sha1: 5, sha224: 14, sha256: 11, sha384: 12, sha512: 13 } as const;
const ECDSA = { md5: '', sha1: '1', sha224: '3.1', sha256: '3.2', sha384: '3.3', sha512: '3.4' } as const;
const HASHES = { md5: '', sha1: '1.3.14.3.2.26', sha224: '2.16.840.1.101.3.4.2.4', sha256: '2.16.840.1.101.3.4.2.1' };

function algorithmOf({ asymmetricKeyType }: KeyObject, { hash = 'sha256', pss }: Description): Buffer {
  if (asymmetricKeyType === 'ed25519') return sequence(oid('1.3.101.112'));
  if (asymmetricKeyType === 'ed448') return sequence(oid('1.3.101.113'));
  if (asymmetricKeyType === 'ec') return sequence(oid(`1.2.840.10045.4.${ECDSA[hash]}`));
  if (pss) return sequence(oid('1.2.840.113549.1.1.10'), pssParameters(hash, pss));
  return sequence(oid(`1.2.840.113549.1.1.${RSA[hash]}`), NULL);
}

function pssParameters(hash: Hash, { saltLength, withNull = true, defaults = false }: NonNullable<Description['pss']>): Buffer {
  if (defaults) return sequence();
  const hashed = sequence(
    oid({ ...HASHES, sha384: '2.16.840.1.101.3.4.2.2', sha512: '2.16.840.1.101.3.4.2.3' }[hash]),
    ...(withNull ? [NULL] : []),
  );
  const mask = sequence(oid('1.2.840.113549.1.1.8'), hashed);
  return sequence(element(0xa0, hashed), element(0xa1, mask), element(0xa2, integer(saltLength)));
}

function signatureOf(body: Buffer, key: KeyObject, { hash = 'sha256', pss }: Description): Buffer {
  if (key.asymmetricKeyType?.startsWith('ed') === true) return sign(undefined, body, key);
  const padding = pss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: pss.saltLength } : {};
  return sign(hash, body, { key, ...padding });
}

export function pemOf({ der }: Issued): string {
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}
