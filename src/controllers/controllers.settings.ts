import { ValidateIf } from 'class-validator';
import { Setting } from '../settings/setting.js';
import { CONTROLLERS } from './machinery/declared-controller.js';

export class ControllersSettings {
  static readonly group = 'Serving';

  @Setting({
    kind: 'list',
    help: `Controllers to run: * enables all, a name enables one, -name disables one; of: ${CONTROLLERS.join(', ')}.`,
    values: ['*', ...CONTROLLERS, ...CONTROLLERS.map((name) => `-${name}`)],
    message: `must be * or names, each with an optional - before it, among ${CONTROLLERS.join(', ')}`,
  })
  controllers: string[] = ['*'];

  @Setting({ kind: 'duration', help: 'How long events are kept after their last change.', min: 1000, message: 'must be at least 1s' })
  eventTtl = 3_600_000;

  @Setting({ kind: 'boolean', help: 'Writes an Event about each lease whose holder does not renew in time.' })
  leaseExpiryEvents = false;

  @Setting({ kind: 'text', help: 'Kubeconfig of the webhook that is told of each lease whose holder does not renew in time.' })
  leaseExpiryWebhookConfigFile = '';

  @Setting({
    kind: 'text',
    help: 'File with the secret, in base64, by which calls of the lease-expiry webhook are signed with HMAC-SHA256.',
  })
  leaseExpiryWebhookSecretFile = '';

  @Setting({
    kind: 'duration',
    help: 'How long after its expiry a lease is deleted; 0 deletes none, and so does the annotation coordination-apiserver.dev/keep on a lease.',
    min: 1000,
    message: 'must be 0 or at least 1s',
  })
  @ValidateIf(({ abandonedLeaseTtl }: ControllersSettings) => abandonedLeaseTtl !== 0)
  abandonedLeaseTtl = 0;
}
