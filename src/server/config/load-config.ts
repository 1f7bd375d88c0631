import { readFileSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { StartError } from '../../settings/start-error.js';
import { type SettingDescription, blankValue, ENVIRONMENT_PREFIX, isBlank, readSetting } from '../../settings/setting.js';
import { type ServerSettings, allSettings, defaultSettings, findInvalid } from './server-settings.js';

/** `COORDINATION_APISERVER_CONFIG`: the environment variable for `--config`. */
const CONFIG_VARIABLE = `${ENVIRONMENT_PREFIX}CONFIG`;

export interface ConfigSources {
  /** Texts by flag name without dashes (`secure-port`), from the command line. */
  readonly flags: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Path of the YAML file. */
  readonly file?: string;
}

/**
 * Loads the settings: flags override the environment, which overrides the file, which overrides the defaults. Throws a one-line
 * StartError for anything unknown or invalid; it names the setting as its author wrote it.
 */
export function loadConfig(sources: ConfigSources): ServerSettings {
  const config = defaultSettings();
  const origins = new Map<string, string>();
  const apply = (setting: SettingDescription, raw: unknown, origin: string): void => {
    if (isBlank(raw) && !setting.mayBeEmpty) throw new StartError(blankValue(origin));
    const value = readSetting(setting.kind, raw);
    if (value === undefined) throw new StartError(`invalid value ${JSON.stringify(raw)} for ${origin}: ${EXPECTED[setting.kind]}`);
    Object.assign(config, { [setting.property]: value });
    origins.set(setting.property, origin);
  };
  const named = sources.environment[CONFIG_VARIABLE];
  if (isBlank(named)) throw new StartError(blankValue(CONFIG_VARIABLE));
  applyFile(sources.file ?? named, apply);
  applyEnvironment(sources.environment, apply);
  for (const setting of allSettings()) {
    const raw = sources.flags[setting.name];
    if (raw !== undefined) apply(setting, raw, `--${setting.name}`);
  }
  check(config, origins);
  return config;
}

type Apply = (setting: SettingDescription, raw: unknown, origin: string) => void;

const EXPECTED: Readonly<Record<SettingDescription['kind'], string>> = {
  text: 'must be text',
  integer: 'must be a whole number',
  number: 'must be a number',
  boolean: 'must be true or false',
  duration: 'must be a duration such as 90s, 1m30s or 7d',
  list: 'must be a list of names',
};

function applyFile(file: string | undefined, apply: Apply): void {
  if (file === undefined) return;
  const byName = new Map(allSettings().map((setting) => [setting.name, setting]));
  for (const [key, raw] of Object.entries(readConfigFile(file))) {
    const setting = byName.get(key);
    if (setting === undefined) throw new StartError(`unknown key "${key}" in ${file}`);
    apply(setting, raw, `"${key}" in ${file}`);
  }
}

function readConfigFile(file: string): Record<string, unknown> {
  try {
    const content: unknown = parseYaml(readFileSync(file, 'utf8')) ?? {};
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content as Record<string, unknown>;
  } catch (error) {
    throw new StartError(`cannot read the configuration file ${file}: ${firstLine(error)}`);
  }
  throw new StartError(`the configuration file ${file} must be a mapping of keys to values`);
}

function applyEnvironment(environment: ConfigSources['environment'], apply: Apply): void {
  const known = new Set([CONFIG_VARIABLE, ...allSettings().map((setting) => setting.environment)]);
  const unknown = Object.keys(environment).find((name) => name.startsWith(ENVIRONMENT_PREFIX) && !known.has(name));
  if (unknown !== undefined) throw new StartError(`unknown environment variable ${unknown}`);
  for (const setting of allSettings()) {
    const given = [setting.alsoEnvironment, setting.environment].filter((name) => name !== undefined && environment[name] !== undefined);
    for (const name of given) apply(setting, environment[name as string], name as string);
  }
}

function check(config: ServerSettings, origins: ReadonlyMap<string, string>): void {
  const invalid = findInvalid(config);
  if (invalid === undefined) return;
  if (typeof invalid === 'string') throw new StartError(invalid);
  const { property, value, message } = invalid;
  throw new StartError(`invalid value ${JSON.stringify(value)} for ${origins.get(property) ?? property}: ${message}`);
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
