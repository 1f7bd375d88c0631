import type { FactoryProvider } from '@nestjs/common';
import type { Controller } from './controller-group.js';
import { ControllerServices } from './controller-services.js';

/** Where this replica serves. */
export interface ReplicaAddress {
  readonly port: number;
  /** The worker's number, if several processes share the port. */
  readonly worker: number | undefined;
}

/** A controller as the module declares it. */
export interface DeclaredController {
  /** As in `--controllers`. */
  readonly name: string;
  /** Whether it runs on the elected replica only, otherwise on every one. */
  readonly elected: boolean;
  /** Makes a new one for each start. */
  readonly create: (address: ReplicaAddress) => Controller;
}

/** Injection token of the list of DeclaredControllers. */
export const DECLARED_CONTROLLERS = Symbol('DeclaredControllers');

type Tokens<Injected extends readonly unknown[]> = { readonly [K in keyof Injected]: abstract new (...services: never[]) => Injected[K] };

type Create<Injected extends readonly unknown[]> = (
  services: ControllerServices & { readonly address: ReplicaAddress },
  ...injected: Injected
) => Controller;

/** How a controller is provided. `create` receives what Nest injects for the tokens. */
const declaration =
  (elected: boolean) =>
  <Injected extends readonly unknown[]>(
    name: string,
    tokens: Tokens<Injected>,
    create: Create<Injected>,
  ): FactoryProvider<DeclaredController> => ({
    provide: Symbol(name),
    inject: [ControllerServices, ...tokens],
    useFactory: (services: ControllerServices, ...injected: unknown[]) => ({
      ...{ name, elected },
      create: (address) => create({ ...services, address }, ...(injected as unknown as Injected)),
    }),
  });

/** The provider of a controller that runs on every replica, and of one that runs on the elected replica only. */
export const onEveryReplica = declaration(false);
export const onElectedReplica = declaration(true);
