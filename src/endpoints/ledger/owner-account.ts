/** Memory held for all connections of one user or remote address. */
export class OwnerAccount<Connection> {
  total = 0;
  streams = 0;
  readonly connections = new Set<Connection>();

  constructor(readonly name: string) {}
}
