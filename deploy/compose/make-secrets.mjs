// Creates the missing secrets of docker-compose.yml, each readable only by the account that needs it; never changes an existing one.
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Accounts of the images. */
const ROOT = 0;
const SERVER = 1000;
const PROMETHEUS = 65534;

const secret = () => randomBytes(32).toString('hex');

function put(file, owner, text = secret()) {
  writeFileSync(`${file}.new`, text, { mode: 0o400 });
  chownSync(`${file}.new`, owner, owner);
  renameSync(`${file}.new`, file);
}

const missing = (...files) => !files.every((file) => existsSync(file));

const password = '/database/password';
if (missing(password)) put(password, ROOT);
if (missing('/server/database-password')) put('/server/database-password', SERVER, readFileSync(password, 'utf8'));
if (missing('/database/standby-password')) put('/database/standby-password', ROOT);
if (missing('/server/secrets-key')) put('/server/secrets-key', SERVER);
// Both files of the token must match, so if one is missing both are created.
if (missing('/server/tokens.csv', '/prometheus/token')) {
  const token = secret();
  put('/server/tokens.csv', SERVER, `${token},prometheus,prometheus,"system:monitoring"\n`);
  put('/prometheus/token', PROMETHEUS, token);
}
