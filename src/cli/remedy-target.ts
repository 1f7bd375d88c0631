import type { Command } from 'commander';
import { usesEmbeddedPostgres } from '../server/config/uses-embedded-postgres.js';
import { type ServerSettings, allSettings } from '../server/config/server-settings.js';
import { shellWord } from '../settings/program-call.js';
import { withoutPassword } from '../storage/database/hosts/connection-string.js';
import type { RemedyTarget } from '../storage/maintenance/diagnosis/diagnosis.js';
import { DATABASE_SETTINGS } from './database-access.js';

/** What lines to copy repeat to address the database of this call. No password is repeated. */
export function remedyTarget(command: Command, config: ServerSettings): Omit<RemedyTarget, 'role'> {
  return {
    flags: givenFlags(command, ['config', ...DATABASE_SETTINGS.filter((name) => name !== 'log-level')]),
    keyFlags: givenFlags(command, ['secrets-key-file']),
    psql: config.databaseUrl && psqlArgument(config.databaseUrl, process.env),
    adminPsql: config.databaseUrl === '' ? '-U ADMIN' : shellWord(asAdmin(withoutPassword(config.databaseUrl))),
    isEmbedded: usesEmbeddedPostgres(config, process.env),
  };
}

/** The flags with these names, as they were given. The environment applies to the next command too. */
function givenFlags(command: Command, names: readonly string[]): string {
  return [{ name: 'config', property: 'config' }, ...allSettings()]
    .filter(({ name, property }) => names.includes(name) && command.getOptionValueSource(property) === 'cli')
    .map(({ name, property }) => shellWord(`--${name}=${withoutPassword(String(command.getOptionValue(property)))}`))
    .join(' ');
}

/** The same database with the user ADMIN, which the reader replaces. Of two values for a keyword, libpq takes the last. */
function asAdmin(url: string): string {
  if (!/^postgres(ql)?:/.test(url)) return `${url} user=ADMIN`;
  return url.replaceAll(/(?<=[?&])user=[^&]*&?/g, '').replace(/:\/\/(?:[^/?@]*@|)/, '://ADMIN@');
}

function psqlArgument(url: string, environment: NodeJS.ProcessEnv): string {
  const { environment: own, alsoEnvironment } = allSettings().find(({ name }) => name === 'database-url') ?? {};
  const variable = [own, alsoEnvironment].find((name) => name !== undefined && environment[name] === url);
  return variable === undefined ? shellWord(withoutPassword(url)) : `"$${variable}"`;
}
