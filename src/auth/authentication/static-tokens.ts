import { hash } from 'node:crypto';
import type { UserInfo } from '../../registry/resource/request-context.js';
import { withAuthenticatedGroup } from './authenticator.js';
import { type TokenAuthenticator, type VerifiedToken, commonAudiences } from './token-authenticator.js';

export interface TokenUser {
  readonly token: string;
  readonly user: UserInfo;
}

/**
 * Bearer tokens from a list. Tokens are looked up by SHA-256, so timing reveals nothing about how much of a guess was right; the last of
 * duplicate tokens counts. Valid tokens are also cached as plain text, because most requests use one of few: the map compares text only on
 * equal hashes, which are keyed per process, so timing reveals nothing there either.
 */
export class StaticTokens implements TokenAuthenticator {
  readonly #audiences: readonly string[];
  #users: ReadonlyMap<string, VerifiedToken>;
  /** Bounded by the number of tokens. */
  #seen = new Map<string, VerifiedToken>();

  /** `audiences`: those the tokens are valid for. */
  constructor(entries: Iterable<TokenUser>, audiences: readonly string[]) {
    this.#audiences = audiences;
    this.#users = this.#byDigest(entries);
  }

  /** Replaces all tokens. */
  replace(entries: Iterable<TokenUser>): void {
    this.#users = this.#byDigest(entries);
    this.#seen = new Map();
  }

  authenticateToken(token: string, wanted: readonly string[]): VerifiedToken | undefined {
    const verified = this.#seen.get(token) ?? this.#lookUp(token);
    if (!verified || wanted === this.#audiences) return verified;
    const audiences = commonAudiences(this.#audiences, wanted);
    return audiences.length > 0 ? { ...verified, audiences } : undefined;
  }

  #lookUp(token: string): VerifiedToken | undefined {
    const verified = this.#users.get(digest(token));
    if (verified) this.#seen.set(token, verified);
    return verified;
  }

  #byDigest(entries: Iterable<TokenUser>): Map<string, VerifiedToken> {
    const users = new Map<string, VerifiedToken>();
    for (const { token, user } of entries) {
      users.set(digest(token), { user: withAuthenticatedGroup(user), audiences: this.#audiences });
    }
    return users;
  }
}

function digest(token: string): string {
  return hash('sha256', token, 'base64');
}

/** An unusable token file; the message is for the operator. */
export class TokenFileError extends Error {}

/**
 * Parses `--token-auth-file`: CSV lines `token,user,uid[,"group1,group2"]` (apiserver authentication/token/tokenfile). Throws
 * TokenFileError for a line with too few columns or without a token.
 */
export function parseTokenFile(text: string): TokenUser[] {
  const users: TokenUser[] = [];
  text.split(/\r?\n/).forEach((line, at) => {
    if (line.trim() === '' || line.trimStart().startsWith('#')) return;
    const [token = '', name = '', uid = '', groups = ''] = parseLine(line, at + 1);
    if (token === '') throw new TokenFileError(`line ${at + 1}: empty token`);
    users.push({ token, user: { name, uid, groups: splitGroups(groups), extra: {} } });
  });
  return users;
}

function splitGroups(text: string): string[] {
  return text
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '');
}

/** Parses a CSV record; a quote inside quotes is doubled. */
function parseLine(line: string, number: number): string[] {
  const columns: string[] = [];
  const pattern = /\s*(?:"((?:[^"]|"")*)"|([^",]*))\s*(,|$)/y;
  for (;;) {
    const match = pattern.exec(line);
    if (!match) throw new TokenFileError(`line ${number}: bad quotes`);
    columns.push(match[1] === undefined ? (match[2] ?? '').trim() : match[1].replaceAll('""', '"'));
    if (match[3] === '') break;
  }
  if (columns.length < 3) {
    throw new TokenFileError(`line ${number}: must have at least 3 columns (token, user name, user uid), found ${columns.length}`);
  }
  return columns;
}
