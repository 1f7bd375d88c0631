import { parseGoDuration } from '../apimachinery/go/parse-go-duration.js';

/** How the text of a setting is parsed. */
export type SettingKind = 'text' | 'integer' | 'number' | 'boolean' | 'duration' | 'list';

export interface SettingOptions {
  readonly kind: SettingKind;
  /** One sentence for `--help` and docs/configuration.md. */
  readonly help: string;
  /** Placeholder for the value in `--help`; by default the kind. */
  readonly placeholder?: string;
  /** Another environment variable, known from other programs, that sets it too. */
  readonly alsoEnvironment?: string;
}

export interface SettingDescription extends SettingOptions {
  /** The class that declares it. */
  readonly layer: SettingsClass;
  /** The property of the settings class. */
  readonly property: string;
  /** `secure-port`: flag and key of the configuration file. */
  readonly name: string;
  /** Such as `COORDINATION_APISERVER_SECURE_PORT`. */
  readonly environment: string;
}

export const ENVIRONMENT_PREFIX = 'COORDINATION_APISERVER_';

/**
 * The settings of one layer. An instance holds the defaults, and each property with `@Setting` can be set under its own name. It must not
 * have other properties, since values are copied from it.
 */
export interface SettingsClass<T extends object = object> {
  new (): T;
  /** Why values that are valid one by one conflict, in one line; undefined if they do not. */
  conflict?(settings: T): string | undefined;
}

const descriptions = new Map<SettingsClass, SettingDescription[]>();

/** Makes a property of a settings class a flag, an environment variable and a key of the configuration file. */
export function Setting(options: SettingOptions): PropertyDecorator {
  return (target, key) => {
    const property = String(key);
    const name = property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const layer = target.constructor as SettingsClass;
    const described = { ...options, layer, property, name, environment: ENVIRONMENT_PREFIX + name.replaceAll('-', '_').toUpperCase() };
    descriptions.set(layer, [...settingsOf(layer), described]);
  };
}

/** The settings of a class, in its order. */
export function settingsOf(settings: SettingsClass): readonly SettingDescription[] {
  return descriptions.get(settings) ?? [];
}

/** Parses the text of a flag or variable, or a YAML scalar or list; undefined if it is not of the kind. */
export function readSetting(kind: SettingKind, raw: unknown): unknown {
  if (kind === 'list') return readList(raw);
  if (typeof raw !== 'string' && typeof raw !== 'number' && typeof raw !== 'boolean') return undefined;
  const text = String(raw);
  switch (kind) {
    case 'text':
      return text;
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
    case 'number':
      return /^[\d.]{1,20}$/.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'boolean':
      return readBoolean(text);
    case 'duration':
      return readDuration(text);
  }
}

/** As Go's flags, and whole days. */
function readDuration(text: string): number | undefined {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  if (days !== undefined) return Number(days) * DAY_MS;
  const ms = parseGoDuration(text);
  return typeof ms === 'number' && ms >= 0 ? ms : undefined;
}

/** Accepts the spellings of Go's strconv.ParseBool, as kube-apiserver's flags do. */
function readBoolean(text: string): boolean | undefined {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  return /^(0|f|F|FALSE|false|False)$/.test(text) ? false : undefined;
}

const DAY_MS = 24 * 3_600_000;

function readList(raw: unknown): string[] | undefined {
  if (typeof raw === 'string') return raw.split(',').filter((item) => item !== '');
  return Array.isArray(raw) && raw.every((item) => typeof item === 'string') ? raw : undefined;
}
