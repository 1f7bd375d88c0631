import { type TestCertificate, certificate } from '../../../../test/support/certificates.js';
import { readCertificateFields } from './certificate.js';
import { DerError, readElements, readOid } from './der-reader.js';

const bytes = (hex: string) => Buffer.from(hex, 'hex');

describe('the DER reader', () => {
  it.each([
    ['short', '04020102', '0102'],
    ['long', `048180${'ff'.repeat(128)}`, 'ff'.repeat(128)],
  ])('reads a %s length', (_what, hex, content) => {
    expect(readElements(bytes(hex))).toEqual([{ tag: 4, content: bytes(content) }]);
  });

  it.each(['04', '0405', '0480', '04810100', '0482000100', '048501', '04850000000001', '1f0100', '0484ffffffff'])('refuses %s', (hex) => {
    expect(() => readElements(bytes(hex))).toThrow(DerError);
  });

  it.each([
    ['2.5.4.3', '550403'],
    ['1.3.6.1.4.1.57683.2', '2b0601040183c25302'],
    ['2.999.1', '883701'],
  ])('reads the object identifier %s', (oid, hex) => {
    expect(readOid({ tag: 6, content: bytes(hex) })).toBe(oid);
  });

  it('reads a truncated or damaged certificate correctly or not at all', async () => {
    const made: TestCertificate = await certificate('CN=ann,O=dev', { usages: ['clientAuth'], pathLength: 3 });
    const der = made.x509.raw;
    expect(readCertificateFields(der)).toMatchObject({ extensions: { ca: true, maxPathLength: 3, unhandled: [] } });
    for (let length = 0; length < der.length; length++) {
      expect(() => readCertificateFields(der.subarray(0, length))).toThrow(DerError);
    }
    for (let at = 0; at < der.length; at++) {
      const damaged = Buffer.from(der);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      try {
        readCertificateFields(damaged);
      } catch (error) {
        expect(error).toBeInstanceOf(DerError);
      }
    }
  });
});
