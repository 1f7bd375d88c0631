import { leaseTermDefinition } from '../../apis/history/lease-term/lease-term.resource.js';
import { RuntimeConfig } from '../../registry/runtime-config.js';
import { TermUse } from '../../storage/term-use.js';
import type { ServerSettings } from './server-settings.js';

/** Terms are watched where their group is served. Throws StartError. */
export function termUseOf({ runtimeConfig }: ServerSettings): TermUse {
  return new TermUse(new RuntimeConfig(runtimeConfig).apply(leaseTermDefinition).versions.length > 0);
}
