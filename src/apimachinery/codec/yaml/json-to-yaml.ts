import { YamlWriter } from './yaml-writer.js';

/** JSON text as YAML, in the form that sigs.k8s.io/yaml gives it. */
export function toYaml(json: string): string {
  return YamlWriter.write(JSON.parse(json));
}
