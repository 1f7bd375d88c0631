import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../telemetry/logger.js';
import { MediaTypes } from '../negotiation/media-types.js';
import { ErrorWriter } from './error-writer.js';

/** The writers of errors, with the media types that upstream supports in each place. */
@Injectable()
export class ErrorWriters {
  /** For requests that have not reached a resource version, and for everything that is not a resource. */
  readonly global: ErrorWriter;
  /** Within a group version. */
  readonly versioned: ErrorWriter;

  constructor({ global, versioned }: MediaTypes, @Inject(LOGGER) logger: Logger) {
    this.global = new ErrorWriter(global, logger);
    this.versioned = new ErrorWriter(versioned, logger);
  }
}
