import type { AddressInfo } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import { type TlsMaterial, secureContextOptions } from '../../endpoints/http-server/tls-material.js';
import type { ServerSettings } from '../config/server-settings.js';
import type { ProcessParts } from './process.module.js';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Whether other processes of this user may listen there too; the kernel then distributes connections among them. */
  readonly reusePort: boolean;
}

/** The HTTP application as the server uses it (part of Nest's interface). */
export interface HttpApplication {
  listen(address: ListenAddress): Promise<unknown>;
  /** Accepts no new requests, ends watches, and resolves when requests in progress are answered or cut off. */
  close(): Promise<void>;
  /** The provider that Nest has created for an injection token. */
  get<T>(token: abstract new (...services: never[]) => T): T;
  getHttpServer(): { address(): AddressInfo | string | null };
}

/** Opens the configured parts and assembles the application. The lifecycle stops the parts that are open, also if this rejects. */
type CreateHttpApplication = (settings: ServerSettings, parts: ProcessParts) => Promise<HttpApplication>;

/** The composition root, as the server uses it. */
interface HttpApplicationModule {
  readonly createApp: CreateHttpApplication;
  /** Throws StartError for names that nothing serves. */
  readonly checkRuntimeConfig: (entries: readonly string[]) => void;
}

/** Loads the composition root, which takes a while; so it runs while the database starts, unless something is to be checked before. */
export type LoadHttpApplication = () => Promise<HttpApplicationModule>;

/** Uses other TLS settings for new connections; open ones keep theirs. */
export function replaceTls(application: HttpApplication, tls: TlsMaterial): void {
  (application.getHttpServer() as unknown as TlsServer).setSecureContext(secureContextOptions(tls));
}
