import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createGunzip } from 'node:zlib';

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const NAME = 'org.opencontainers.image.ref.name';

/** A directory in the layout of the OCI image specification: blobs by digest, and an index of named manifests. */
export class OciLayout {
  #dir;

  constructor(dir) {
    this.#dir = dir;
  }

  /** An empty one; replaces an existing one, but no other directory. */
  static create(dir) {
    if (existsSync(dir) && readdirSync(dir).length > 0 && !existsSync(path.join(dir, 'oci-layout'))) {
      throw new Error(`${dir} is no OCI layout: name another directory`);
    }
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(path.join(dir, 'blobs/sha256'), { recursive: true });
    writeFileSync(path.join(dir, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
    writeFileSync(path.join(dir, 'index.json'), '{"schemaVersion":2,"manifests":[]}');
    return new OciLayout(dir);
  }

  /** Adds bytes; answers their descriptor. */
  addBlob(mediaType, bytes) {
    const hash = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(path.join(this.#dir, 'blobs/sha256', hash), bytes);
    return { mediaType, digest: `sha256:${hash}`, size: bytes.length };
  }

  /** Adds a manifest under a name. */
  addManifest(name, manifest) {
    const descriptor = this.addBlob(MANIFEST, Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, ...manifest })));
    const index = this.#index();
    index.manifests.push({ ...descriptor, annotations: { [NAME]: name } });
    writeFileSync(path.join(this.#dir, 'index.json'), JSON.stringify(index));
    return descriptor;
  }

  /** The digest of a named manifest, and the bytes of each of its layers as they are stored and unpacked. */
  async measure(name) {
    const { digest } = this.#index().manifests.find(({ annotations }) => annotations?.[NAME] === name);
    const { layers } = JSON.parse(readFileSync(this.#blob(digest), 'utf8'));
    const measured = [];
    for (const layer of layers) measured.push({ stored: layer.size, unpacked: await this.#unpackedSize(layer) });
    return { digest, layers: measured };
  }

  async #unpackedSize({ digest, mediaType, size }) {
    if (!mediaType.endsWith('gzip')) return size;
    let bytes = 0;
    for await (const chunk of createReadStream(this.#blob(digest)).pipe(createGunzip())) bytes += chunk.length;
    return bytes;
  }

  #index() {
    return JSON.parse(readFileSync(path.join(this.#dir, 'index.json'), 'utf8'));
  }

  #blob(digest) {
    return path.join(this.#dir, 'blobs', digest.replace(':', '/'));
  }
}
