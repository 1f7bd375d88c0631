import { leaseTermDefinition } from '../../apis/history/lease-term/lease-term.resource.js';
import { groupVersion } from '../../apimachinery/schema/group-resource.js';
import type { ServerSettings } from './server-settings.js';
import { usesEmbeddedPostgres } from './uses-embedded-postgres.js';

const HISTORY = groupVersion(leaseTermDefinition.group, 'v1');

/**
 * `--runtime-config`. A server with the embedded database also serves the history, unless an entry decides on that or on all versions: such a
 * server is new, or somebody's own. Others have the groups of kube-apiserver alone, which clients may compare.
 */
export function servedByDefault(config: ServerSettings, environment: NodeJS.ProcessEnv): string[] {
  const isDecided = config.runtimeConfig.some((entry) => entry.startsWith(HISTORY) || /^api\/(all|ga)\b/.test(entry));
  return isDecided || !usesEmbeddedPostgres(config, environment) ? config.runtimeConfig : [...config.runtimeConfig, `${HISTORY}=true`];
}
