import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';

const READY = message('Z', Buffer.from('I'));

/** What speaks PostgreSQL's protocol as a version that knows nothing but its number: it refuses every other statement. */
export async function startOldPostgres(version: string): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer((socket) => answer(socket, version)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `postgresql://user:password@127.0.0.1:${(server.address() as AddressInfo).port}/database` };
}

function answer(socket: Socket, version: string): void {
  socket.on('error', () => undefined);
  socket.once('data', () => {
    socket.write(Buffer.concat([message('R', Buffer.alloc(4)), message('K', Buffer.alloc(8)), READY]));
    socket.on('data', (asked: Buffer) => {
      const question = /[0-9a-f-]{36}/.exec(asked.toString('latin1'))?.[0];
      if (asked[0] === 'X'.charCodeAt(0)) socket.end();
      // What a new connection is asked, to see that it answers its own questions.
      else if (question !== undefined) {
        socket.write(Buffer.concat([message('1', Buffer.alloc(0)), message('2', Buffer.alloc(0)), ...row('question', question), READY]));
      } else if (asked.includes('show server_version_num')) socket.write(Buffer.concat([...row('server_version_num', version), READY]));
      else socket.write(Buffer.concat([message('E', Buffer.from('SERROR\0C42704\0Munrecognized configuration parameter\0\0')), READY]));
    });
  });
}

function row(name: string, value: string): Buffer[] {
  const column = Buffer.concat([Buffer.from(`${name}\0`), Buffer.alloc(6), int(25, 4), int(0xff_ff, 2), int(0xff_ff_ff_ff, 4), int(0, 2)]);
  return [
    message('T', Buffer.concat([int(1, 2), column])),
    message('D', Buffer.concat([int(1, 2), int(value.length, 4), Buffer.from(value)])),
    message('C', Buffer.from('SHOW\0')),
  ];
}

function int(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int(body.length + 4, 4), body]);
}
