import { Setting } from '../settings/setting.js';

const ADMISSION_PLUGINS = ['NamespaceAutoProvision', 'NamespaceLifecycle'] as const;

/** Settings of the served versions and of admission. */
export class RegistrySettings {
  static readonly group = 'Serving';

  @Setting({
    kind: 'list',
    group: 'Authorization and admission',
    help: `Admission plugins to enable in addition to the default ones, of: ${ADMISSION_PLUGINS.join(', ')}.`,
    values: ADMISSION_PLUGINS,
  })
  enableAdmissionPlugins: string[] = [];

  @Setting({
    kind: 'list',
    help: 'API versions to enable or disable, as group/version=true or =false; api/all, api/ga, api/beta and api/alpha stand for several. history.coordination-apiserver.dev/v1=false leaves the groups of kube-apiserver alone.',
    placeholder: 'switches',
  })
  runtimeConfig: string[] = [];
}
