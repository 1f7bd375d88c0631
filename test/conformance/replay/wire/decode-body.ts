import { parse } from 'yaml';
import { readCbor } from './cbor.js';
import { readProtobuf } from './read-protobuf.js';

/** A protobuf, CBOR or YAML body as plain JSON, with the format in `wire`; undefined for other types. */
export function decodeBody(bytes: Buffer, contentType: string): unknown {
  try {
    if (contentType.includes('protobuf')) return readProtobuf(bytes);
    if (contentType.includes('cbor')) return readCbor(bytes);
    return contentType.includes('yaml') ? readYaml(bytes.toString('utf8')) : undefined;
  } catch (error) {
    return { undecodable: (error as Error).message, base64: bytes.toString('base64') };
  }
}

/** Blank lines are dropped as they were in the recordings, including those within texts. */
function readYaml(text: string): object {
  return { wire: 'yaml', ...(parse(text.replace(/\n(?:[ \t]*\n)+/g, '\n')) as object) };
}
