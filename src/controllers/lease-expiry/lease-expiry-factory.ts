import { Inject, Injectable } from '@nestjs/common';
import { LeaseStore } from '../../apis/coordination/lease/lease.module.js';
import { EventStore } from '../../apis/core/event/event.module.js';
import { configuredWebhookClient } from '../../auth/webhook/webhook-client.js';
import { readGivenFile } from '../../settings/given-files.js';
import { StartError } from '../../settings/start-error.js';
import { Storage } from '../../storage/storage.js';
import { TermUse } from '../../storage/term-change.js';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import { ControllersSettings } from '../controllers.settings.js';
import type { Controller, ControllerServices } from '../machinery/declared-controller.js';
import { type LapseReceiver, LapseAnnouncer } from './lapse-announcer.js';
import { LapseEvents, LapseWebhook } from './lapse-destinations.js';
import { LeaseExpiryMetrics } from './lease-expiry-metrics.js';
import { LeaseExpiryReconciler } from './lease-expiry.reconciler.js';

const IDLE: Controller = { start: () => Promise.resolve(), stop: () => Promise.resolve() };
const CONFIG = 'lease-expiry-webhook-config-file';
const SECRET = 'lease-expiry-webhook-secret-file';

/** The resources that are read and written. */
@Injectable()
export class LeaseExpiryStores {
  constructor(
    readonly leases: LeaseStore,
    readonly events: EventStore,
  ) {}
}

/** Makes what the settings ask for; nothing where nobody can see it. */
@Injectable()
export class LeaseExpiryFactory {
  readonly #secret: Buffer | undefined;

  constructor(
    private readonly settings: ControllersSettings,
    private readonly storage: Storage,
    private readonly termUse: TermUse,
    private readonly stores: LeaseExpiryStores,
    @Inject(SERVER_METRICS) private readonly serverMetrics: ServerMetrics,
  ) {
    this.#secret = readSecret(settings);
  }

  create(services: ControllerServices): Controller {
    if (!this.termUse.watched) return IDLE;
    const { lapses } = this.storage;
    const { scheduler, logger } = services;
    const metrics = new LeaseExpiryMetrics(this.serverMetrics.main);
    const receivers = this.#receivers(services);
    const announcements = { announcements: lapses.announcements, receivers, metrics, scheduler, logger };
    const announcer = receivers.length === 0 ? undefined : new LapseAnnouncer(announcements);
    return new LeaseExpiryReconciler({ ...services, leases: this.stores.leases, lapses, announcer, metrics });
  }

  #receivers({ now }: ControllerServices): LapseReceiver[] {
    const { leaseExpiryEvents, leaseExpiryWebhookConfigFile: file } = this.settings;
    return [
      ...(leaseExpiryEvents ? [new LapseEvents(this.stores.events)] : []),
      ...(file === '' ? [] : [new LapseWebhook(configuredWebhookClient(`--${CONFIG}`, file), this.#secret, now)]),
    ];
  }
}

function readSecret({ leaseExpiryWebhookSecretFile: file, leaseExpiryWebhookConfigFile: config }: ControllersSettings): Buffer | undefined {
  if (file === '') return undefined;
  if (config === '') throw new StartError(`--${SECRET} needs --${CONFIG}`);
  // the prefix of the specification's own secrets
  const text = readGivenFile(`--${SECRET}`, file)
    .trim()
    .replace(/^whsec_/, '');
  const secret = Buffer.from(text, 'base64');
  if (secret.length < 24 || secret.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, '')) {
    throw new StartError(`--${SECRET}: must contain at least 24 bytes in base64`);
  }
  return secret;
}
