import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { parseSigningKey, parseTokenKeys } from './token-key.js';

const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength });

describe('keys for tokens', () => {
  it.each([
    ['P-256', 'ES256'],
    ['P-384', 'ES384'],
    ['P-521', 'ES512'],
  ])('on the curve %s use %s', (curve, algorithm) => {
    const { privateKey, publicKey } = ec(curve);
    const signing = parseSigningKey(privateKey.export({ type: 'sec1', format: 'pem' }).toString());
    const [verifying] = parseTokenKeys(publicKey.export({ type: 'spki', format: 'pem' }).toString());
    expect([signing.algorithm, verifying?.algorithm]).toEqual([algorithm, algorithm]);
    expect(signing.id).toBe(verifying?.id);
  });

  it('may be combined in one file, including private keys', () => {
    const [a, b] = [rsa(2048), ec('P-256')];
    const text = `${a.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()}\n# another\n${b.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()}`;
    expect(parseTokenKeys(text).map(({ algorithm, publicKey }) => [algorithm, publicKey.type])).toEqual([
      ['RS256', 'public'],
      ['ES256', 'public'],
    ]);
  });

  it.each([
    ['nothing', '', 'it contains no PEM-encoded key'],
    ['garbage in PEM', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', 'it contains no usable key'],
    ['a short RSA key', rsa(1024).publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'must have at least 2048 bits'],
    ['an unusual curve', ec('secp256k1').publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'P-256, P-384 or P-521'],
    ['Ed25519', generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'must be RSA, or EC'],
  ])('cannot be parsed from %s', (_what, text, message) => {
    expect(() => parseTokenKeys(text)).toThrow(message);
  });
});
