import { IsIn, Min, ValidateIf } from 'class-validator';
import { Setting } from '../settings/setting.js';
import { CONTROLLERS } from './machinery/controller-names.js';

export class ControllersSettings {
  @Setting({
    kind: 'list',
    help: `Controllers to run: * enables all, a name enables one, -name disables one; of: ${CONTROLLERS.join(', ')}.`,
    placeholder: 'names',
  })
  @IsIn(['*', ...CONTROLLERS, ...CONTROLLERS.map((name) => `-${name}`)], {
    each: true,
    message: `must be * or names, each with an optional - before it, among ${CONTROLLERS.join(', ')}`,
  })
  controllers: string[] = ['*'];

  @Setting({ kind: 'duration', help: 'How long events are kept after their last change.' })
  @Min(1000, { message: 'must be at least 1s' })
  eventTtl = 3_600_000;

  @Setting({ kind: 'boolean', help: 'Writes an Event about each lease whose holder does not renew in time.', placeholder: 'bool' })
  leaseExpiryEvents = false;

  @Setting({
    kind: 'text',
    help: 'Kubeconfig of the webhook that is told of each lease whose holder does not renew in time.',
    placeholder: 'file',
  })
  leaseExpiryWebhookConfigFile = '';

  @Setting({
    kind: 'text',
    help: 'File with the secret, in base64, by which calls of the lease-expiry webhook are signed with HMAC-SHA256.',
    placeholder: 'file',
  })
  leaseExpiryWebhookSecretFile = '';

  @Setting({
    kind: 'duration',
    help: 'How long after its expiry a lease is deleted; 0 deletes none, and so does the annotation coordination-apiserver.dev/keep on a lease.',
  })
  @ValidateIf(({ abandonedLeaseTtl }: ControllersSettings) => abandonedLeaseTtl !== 0)
  @Min(1000, { message: 'must be 0 or at least 1s' })
  abandonedLeaseTtl = 0;
}
