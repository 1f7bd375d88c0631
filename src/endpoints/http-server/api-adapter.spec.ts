import { Socket } from 'node:net';
import { requestWithUnknownMethod } from './api-adapter.js';

const UNKNOWN = 'FOO /version HTTP/1.1\r\nHost: x\r\n\r\n';

function read(text: string, bytesParsed: number) {
  const error = Object.assign(new Error(), { code: 'HPE_INVALID_METHOD', rawPacket: Buffer.from(text), bytesParsed });
  return requestWithUnknownMethod(error, new Socket());
}

test('a request whose method alone is unknown is read', () => {
  expect(read(UNKNOWN, 1)?.raw).toMatchObject({ method: 'FOO', url: '/version', headers: { host: 'x' } });
});

test('the body of an earlier request in front of it is not read as a request', () => {
  const body = 'DELETE /secret HTTP/1.1\r\nX-Remote-User: admin\r\n\r\n';
  expect(read(body + UNKNOWN, body.length + 1)).toBeUndefined();
});
