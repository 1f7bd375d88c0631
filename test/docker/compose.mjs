// docker-compose.yml on a real engine: `npm run test:docker`. Skipped with the reason if there is no engine.
import { before, describe } from 'node:test';
import { alone } from './alone.mjs';
import { buildImages, missing } from './engine.mjs';
import { monitoring } from './monitoring.mjs';
import { replicas } from './replicas.mjs';

const reason = missing();
if (reason) console.log(`skipped: ${reason}`);

describe('docker compose', { skip: reason ?? false, timeout: 40 * 60_000 }, () => {
  before(async () => {
    if (!process.env.SKIP_IMAGE_BUILD) await buildImages();
  });
  describe('without a profile', alone);
  describe('with replicas', replicas);
  describe('with monitoring', monitoring);
});
