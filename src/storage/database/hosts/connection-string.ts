import { DatabaseStartError } from '../session/database-start-error.js';

/** libpq's keywords with their values. `host` and `port` may name several, separated by commas. */
export type ConnectionSettings = ReadonlyMap<string, string>;

/* eslint-disable security/detect-unsafe-regex -- the configuration is its author's */
const URL_PARTS = /^postgres(?:ql)?:\/\/(?:([^/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s;
const HOST_AND_PORT = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d*))?$/;
const KEYWORD = /\s*(\w+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|(?!')((?:[^\s\\]|\\.)*))(?=\s|$)/gsy;
/* eslint-enable security/detect-unsafe-regex */

/** libpq's parameters that change the host or the password. pg ignores them, which would lead elsewhere, so they are refused. */
const NOT_SUPPORTED = ['hostaddr', 'service', 'servicefile', 'passfile'];

/**
 * Parses what libpq takes, a URL or `host=... dbname=...`, which is more than pg does. Throws a DatabaseStartError that never contains the text,
 * which may have a password.
 */
export function parseConnectionString(text: string): ConnectionSettings {
  const settings = new Map([...(/^postgres(ql)?:/.test(text) ? inUrl(text) : inKeywords(text))].filter(([, value]) => value !== ''));
  const unsupported = NOT_SUPPORTED.find((keyword) => settings.has(keyword));
  if (unsupported !== undefined) {
    throw new DatabaseStartError(`${unsupported} is not supported in the database URL: write host, port, user and password themselves`);
  }
  if (/[?#]/.test(settings.get('dbname') ?? '')) throw new DatabaseStartError('the name of the database must not contain ? or #');
  return settings;
}

/** The URL in the form that pg takes, whatever the values are. */
export function connectionUrl(settings: ConnectionSettings): string {
  const { dbname = '', ...others } = Object.fromEntries(settings);
  const query = Object.entries(others).map(([keyword, value]) => `${encodeURIComponent(keyword)}=${encodeURIComponent(value)}`);
  return `postgresql:///${encodeURI(dbname)}${query.length > 0 ? '?' : ''}${query.join('&')}`;
}

/** The settings for each host, in order. */
export function eachHost(settings: ConnectionSettings): ConnectionSettings[] {
  const hosts = (settings.get('host') ?? '').split(',');
  const ports = (settings.get('port') ?? '').split(',');
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw new DatabaseStartError(`the database URL names ${ports.length} ports for ${hosts.length} hosts`);
  }
  if (!ports.every((port) => /^\d*$/.test(port) && Number(port) < 65_536)) throw notValid('');
  return hosts.map((host, at) => new Map([...settings, ['host', host], ['port', ports[ports.length > 1 ? at : 0] ?? '']]));
}

function inUrl(text: string): [string, string][] {
  const [matched, login = '', hosts = '', dbname = '', query = ''] = URL_PARTS.exec(text) ?? [];
  if (matched === undefined) throw notValid(text);
  const [, user = '', password = ''] = /^([^:]*):?(.*)$/s.exec(login) ?? [];
  const addresses = hosts.split(',').map((host) => HOST_AND_PORT.exec(host));
  if (addresses.includes(null)) throw notValid(text);
  const ports = addresses.map((address) => address?.[3] ?? '');
  const parameters = query.split('&').map((parameter) => /^([^=]*)=?(.*)$/s.exec(parameter)?.slice(1) ?? []);
  try {
    const decoded = [
      ['user', user],
      ['password', password],
      ['host', addresses.map((address) => address?.[1] ?? address?.[2] ?? '').join()],
      ['port', ports.some((port) => port !== '') ? ports.join() : ''],
      ['dbname', dbname],
      ...parameters,
    ].map(([keyword = '', value = '']): [string, string] => [decodeURIComponent(keyword), decodeURIComponent(value)]);
    // A parameter counts more than its part of the URL, but without a value it counts for nothing.
    return decoded.filter(([keyword, value]) => keyword !== '' && value !== '');
  } catch {
    throw notValid(text);
  }
}

function inKeywords(text: string): [string, string][] {
  const found = [...text.trim().matchAll(KEYWORD)];
  if (found.map(([matched]) => matched).join('') !== text.trim() || found.length === 0) throw notValid(text);
  return found.map(([, keyword = '', quoted, plain = '']) => [keyword, (quoted ?? plain).replaceAll(/\\(.)/gs, '$1')]);
}

function notValid(text: string): DatabaseStartError {
  const encoding = /[@%]/.test(text) ? '; in a user or password, @ is written %40, : %3A, / %2F, ? %3F and % %25' : '';
  return new DatabaseStartError(
    `the database URL is invalid: it must look like postgresql://user:password@host:5432/name, with several hosts written as host:5432,other:5432, or like 'host=... port=5432 user=... dbname=...'${encoding}`,
  );
}

/** A database URL or `host=...`, without its password, to be shown; any other text is unchanged. */
export function withoutPassword(url: string): string {
  if (!/^postgres(ql)?:/.test(url)) return url.replaceAll(/\bpassword\s*=\s*('(\\.|[^'\\])*'|(\\.|[^\s\\])*)\s*/gs, '').trimEnd();
  return url
    .replace(/^(\w+:\/\/[^:/?#@]*):[^?]*@/, '$1@')
    .replaceAll(/([?&])password=[^&]*&?/g, '$1')
    .replace(/[?&]$/, '');
}
