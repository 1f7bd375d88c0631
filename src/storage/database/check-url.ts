import { DatabaseStartError } from './database-start-error.js';

/** Refuses what is no URL of a PostgreSQL database; pg would take a part of it for a host's name. Never repeats it: it may hold a password. */
export function checkUrl(url: string): void {
  if (/^postgres(ql)?:\/\/./.test(url) && isUrl(url)) return;
  throw new DatabaseStartError('the database URL is not valid: it must look like postgresql://user:password@host:5432/name');
}

/** A host that is a percent-encoded directory is no URL to Node, but one to PostgreSQL. */
function isUrl(url: string): boolean {
  return URL.canParse(url) || URL.canParse(url.replace(/@%2f[^:/?]*/i, '@socket'));
}
