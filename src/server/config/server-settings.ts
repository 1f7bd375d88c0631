import { validateSync } from 'class-validator';
import { AuditSettings } from '../../audit/audit.settings.js';
import { AuthSettings } from '../../auth/auth.settings.js';
import { ControllersSettings } from '../../controllers/controllers.settings.js';
import { ServingSettings } from '../../endpoints/settings/serving.settings.js';
import { RegistrySettings } from '../../registry/registry.settings.js';
import { type SettingDescription, type SettingsClass, settingsOf } from '../../settings/setting.js';
import { StorageSettings } from '../../storage/storage.settings.js';
import { TelemetrySettings } from '../../telemetry/telemetry.settings.js';
import { ProcessSettings } from './process.settings.js';

/** All settings of all layers in one object. Durations are in milliseconds. */
export interface ServerSettings
  extends
    AuditSettings,
    AuthSettings,
    StorageSettings,
    RegistrySettings,
    ServingSettings,
    ControllersSettings,
    TelemetrySettings,
    ProcessSettings {}

/** The settings classes of the layers. */
export const SETTINGS_CLASSES: readonly SettingsClass[] = [
  AuditSettings,
  AuthSettings,
  StorageSettings,
  RegistrySettings,
  ServingSettings,
  ControllersSettings,
  TelemetrySettings,
  ProcessSettings,
];

export function defaultSettings(): ServerSettings {
  return Object.assign({}, ...SETTINGS_CLASSES.map((layer) => new layer())) as ServerSettings;
}

/** Every setting of every layer. */
export function allSettings(): readonly SettingDescription[] {
  return SETTINGS_CLASSES.flatMap(settingsOf);
}

/** The settings of one layer, as an instance of its class. */
export function settingsFor<T extends object>(layer: SettingsClass<T>, all: ServerSettings): T {
  const own = new layer();
  return Object.assign(own, Object.fromEntries(Object.entries(all).filter(([property]) => Object.hasOwn(own, property))));
}

export interface InvalidSetting {
  readonly property: string;
  readonly value: unknown;
  readonly message: string;
}

/** The first invalid value, or a text about the first settings that conflict; undefined if all are valid. */
export function findInvalid(all: ServerSettings): InvalidSetting | string | undefined {
  const layers = SETTINGS_CLASSES.map((layer) => ({ layer, settings: settingsFor(layer, all) }));
  for (const { settings } of layers) {
    const [failure] = validateSync(settings);
    if (!failure) continue;
    const [message = 'unfit'] = Object.values(failure.constraints ?? {});
    return { property: failure.property, value: failure.value, message };
  }
  return (
    layers.map(({ layer, settings }) => layer.conflict?.(settings)).find((conflict) => conflict !== undefined) ?? conflictOfLayers(all)
  );
}

/** A kube-apiserver does not repeat a request whose body it has begun to send on a connection that it is asked to leave. */
function conflictOfLayers({ goawayChance, requestheaderClientCaFile, clusterKubeconfig }: ServerSettings): string | undefined {
  if (goawayChance === 0 || (requestheaderClientCaFile === '' && clusterKubeconfig === '')) return undefined;
  const of = requestheaderClientCaFile === '' ? 'cluster-kubeconfig' : 'requestheader-client-ca-file';
  return `--goaway-chance must be 0 with --${of}: a kube-apiserver in front answers some writes with 503 after a GOAWAY`;
}
