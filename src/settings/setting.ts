import { parseGoDuration } from '../apimachinery/go/parse-go-duration.js';

/** How a setting's text is read. */
export type SettingKind = 'text' | 'integer' | 'number' | 'boolean' | 'duration' | 'list';

export interface SettingOptions {
  readonly kind: SettingKind;
  /** One sentence for `--help` and docs/configuration.md. */
  readonly help: string;
  /** What stands for the value in `--help`; by default the kind. */
  readonly placeholder?: string;
  /** A variable beside the one with our prefix that gives it too, as other programs know it. */
  readonly alsoEnvironment?: string;
}

export interface SettingDescription extends SettingOptions {
  /** The class that declares it. */
  readonly layer: SettingsClass;
  /** The property of the settings class. */
  readonly property: string;
  /** `secure-port`: flag and key of the configuration file. */
  readonly name: string;
  /** `COORDINATION_APISERVER_SECURE_PORT`. */
  readonly environment: string;
}

export const ENVIRONMENT_PREFIX = 'COORDINATION_APISERVER_';

/**
 * The settings of one layer: an instance holds the defaults, and each property with `@Setting` can be set under its own name. Nothing
 * but such properties may stand in it, since values are copied from it.
 */
export interface SettingsClass<T extends object = object> {
  new (): T;
  /** Why values that fit one by one do not fit together, in one line; undefined when they do. */
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

/** The value that a text (of a flag or a variable) or a YAML scalar or list stands for; undefined when it is not of the kind. */
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

function readDuration(text: string): number | undefined {
  const ms = parseGoDuration(text);
  return typeof ms === 'number' && ms >= 0 ? ms : undefined;
}

/** The spellings that Go's strconv.ParseBool takes, as kube-apiserver's flags do. */
function readBoolean(text: string): boolean | undefined {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  return /^(0|f|F|FALSE|false|False)$/.test(text) ? false : undefined;
}

function readList(raw: unknown): string[] | undefined {
  if (typeof raw === 'string') return raw.split(',').filter((item) => item !== '');
  return Array.isArray(raw) && raw.every((item) => typeof item === 'string') ? raw : undefined;
}
