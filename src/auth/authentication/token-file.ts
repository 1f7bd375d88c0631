import type { TokenUser } from './static-tokens.js';

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
