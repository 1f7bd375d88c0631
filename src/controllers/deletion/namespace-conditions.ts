import type { Namespace, NamespaceCondition } from '../../apis/core/namespace/namespace.schema.js';
import { timestamp } from '../../registry/objects/object-values.js';
import type { RemainingContent } from './remaining-content.js';

/**
 * Returns the namespace with conditions that say what delays its deletion, in upstream's words (kubernetes
 * pkg/controller/namespace/deletion/status_condition_utils.go). Unchanged conditions keep their times, so reporting them again changes
 * nothing.
 */
export function withConditions(namespace: Namespace, remaining: RemainingContent, now: number): Namespace {
  const known = namespace.status?.conditions ?? [];
  const told = conditions(remaining).map((condition) => {
    const before = known.find(({ type }) => type === condition.type);
    const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : timestamp(now);
    return { ...condition, lastTransitionTime };
  });
  const others = known.filter(({ type }) => told.every((condition) => condition.type !== type));
  return { ...namespace, status: { ...namespace.status, conditions: [...others, ...told] } };
}

function conditions({ byResource, byFinalizer }: RemainingContent): NamespaceCondition[] {
  return [
    {
      type: 'NamespaceContentRemaining',
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: `Some resources are remaining: ${counted(byResource, (name, n) => `${name} has ${n} resource instances`)}`,
    },
    {
      type: 'NamespaceFinalizersRemaining',
      status: byFinalizer.size > 0 ? 'True' : 'False',
      reason: byFinalizer.size > 0 ? 'SomeFinalizersRemain' : 'ContentHasNoFinalizers',
      message:
        byFinalizer.size > 0
          ? `Some content in the namespace has finalizers remaining: ${counted(byFinalizer, (name, n) => `${name} in ${n} resource instances`)}`
          : 'All content-preserving finalizers finished',
    },
  ];
}

function counted(counts: ReadonlyMap<string, number>, text: (name: string, count: number) => string): string {
  const names = [...counts.keys()].sort();
  return names.map((name) => text(name, counts.get(name) ?? 0)).join(', ');
}
