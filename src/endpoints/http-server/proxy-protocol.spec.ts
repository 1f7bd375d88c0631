import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseProxyHeader } from './proxy-protocol.js';

const TLS = Buffer.from('160301', 'hex');
const SIGNATURE = '0d0a0d0a000d0a515549540a';
const text = (line: string) => Buffer.from(`${line}\r\n`, 'latin1');
/** Command, family and the rest, with its length before it. */
const binary = (command: string, family: string, rest: string, length = rest.length / 2) =>
  Buffer.from(`${SIGNATURE}${command}${family}${length.toString(16).padStart(4, '0')}${rest}`, 'hex');
const V4 = 'cb007109c0000201dd8c1a0b'; // 203.0.113.9, 192.0.2.1, 56716, 6667
const V6 = '20010db8000000000000000000000007' + '20010db8000000000000000000000001' + 'dd8c1a0b';
const TLV = '030004deadbeef';

const VALID: [string, Buffer, object][] = [
  ['TCP4', text('PROXY TCP4 203.0.113.9 192.0.2.1 56716 6443'), { client: { address: '203.0.113.9', port: 56716 } }],
  ['TCP6', text('PROXY TCP6 2001:DB8:0::7 ::1 0 65535'), { client: { address: '2001:db8::7', port: 0 } }],
  ['UNKNOWN', text('PROXY UNKNOWN'), {}],
  ['UNKNOWN with what nobody reads', text(`PROXY UNKNOWN ${'f'.repeat(91)}`), {}],
  ['PROXY over IPv4', binary('21', '11', V4), { client: { address: '203.0.113.9', port: 56716 } }],
  ['PROXY over IPv6', binary('21', '21', V6), { client: { address: '2001:db8::7', port: 56716 } }],
  ['PROXY with TLVs', binary('21', '11', V4 + TLV), { client: { address: '203.0.113.9', port: 56716 } }],
  ['LOCAL', binary('20', '00', ''), {}],
  ['LOCAL with addresses', binary('20', '11', V4), {}],
  ['PROXY of no family', binary('21', '00', TLV), {}],
  ['PROXY of UNIX sockets', binary('21', '31', '00'.repeat(216)), {}],
  ['PROXY of datagrams', binary('21', '12', V4), {}],
];

describe('a PROXY header', () => {
  it.each(VALID)('%s is read up to the first byte of TLS, and in any pieces', (_, header, client) => {
    expect(parseProxyHeader(Buffer.concat([header, TLS]))).toEqual({ length: header.length, ...client });
    for (let end = 0; end < header.length; end++) expect(parseProxyHeader(header.subarray(0, end))).toBeUndefined();
  });

  it.each<[string, Buffer]>([
    ['TLS at once', TLS],
    ['HTTP', text('GET / HTTP/1.1')],
    ['another case', text('proxy TCP4 203.0.113.9 192.0.2.1 1 2')],
    ['no family', text('PROXY')],
    ['no addresses', text('PROXY TCP4')],
    ['an unknown family', text('PROXY UDP4 203.0.113.9 192.0.2.1 1 2')],
    ['the address of another family', text('PROXY TCP4 2001:db8::7 192.0.2.1 1 2')],
    ['IPv4 as TCP6', text('PROXY TCP6 203.0.113.9 ::1 1 2')],
    ['a zone', text('PROXY TCP6 fe80::1%eth0 ::1 1 2')],
    ['octal digits', text('PROXY TCP4 203.0.113.09 192.0.2.1 1 2')],
    ['a name', text('PROXY TCP4 localhost 192.0.2.1 1 2')],
    ['a port too large', text('PROXY TCP4 203.0.113.9 192.0.2.1 65536 2')],
    ['a port with zeros', text('PROXY TCP4 203.0.113.9 192.0.2.1 01 2')],
    ['two blanks', text('PROXY TCP4  203.0.113.9 192.0.2.1 1 2')],
    ['one word more', text('PROXY TCP4 203.0.113.9 192.0.2.1 1 2 3')],
    ['a line that does not end', Buffer.from(`PROXY UNKNOWN ${'x'.repeat(200)}`)],
    ['a line of 108 bytes', text(`PROXY UNKNOWN ${'x'.repeat(92)}`)],
    ['version 1 in binary', binary('11', '11', V4)],
    ['version 3', binary('31', '11', V4)],
    ['an unknown command', binary('22', '11', V4)],
    ['an unknown family in binary', binary('21', '41', V4)],
    ['an unknown transport', binary('21', '13', V4)],
    ['no room for its addresses', binary('21', '11', V4.slice(2))],
    ['IPv6 in the room of IPv4', binary('21', '21', V4)],
    ['64 KiB of TLVs', binary('21', '11', V4, 0xffff)],
  ])('with %s is refused', (_, bytes) => {
    expect(() => parseProxyHeader(bytes)).toThrow(/PROXY header/);
  });

  it('is decided upon at the latest after 4096 bytes, whatever they are', () => {
    const begins = fc.constantFrom('', 'PROXY ', 'PROXY TCP4 ', Buffer.from(SIGNATURE, 'hex').toString('latin1'));
    fc.assert(
      fc.property(begins, fc.uint8Array({ minLength: 4096, maxLength: 5000 }), (begin, bytes) => {
        let length: number | undefined = 0;
        try {
          length = parseProxyHeader(Buffer.concat([Buffer.from(begin, 'latin1'), bytes]))?.length;
        } catch (error) {
          expect((error as Error).message).toMatch(/PROXY header/);
        }
        expect(length).toBeLessThanOrEqual(4096);
      }),
    );
  });
});
