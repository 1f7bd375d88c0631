// Makes the secrets of docker-compose.yml that do not exist yet, each readable to its one reader; never changes one that does.
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** The account of the image. */
const SERVER = 1000;

function put(file, text, owner) {
  writeFileSync(`${file}.new`, text, { mode: 0o400 });
  chownSync(`${file}.new`, owner, owner);
  renameSync(`${file}.new`, file);
}

const made = (file) => existsSync(file);
const password = '/database/password';
if (!made(password)) put(password, randomBytes(32).toString('hex'), 0);
if (!made('/server/database-password')) put('/server/database-password', readFileSync(password, 'utf8'), SERVER);
if (!made('/server/secrets-key')) put('/server/secrets-key', randomBytes(32).toString('hex'), SERVER);
