/** The location of the database. The class is the injection token. */
export abstract class DatabaseLocation {
  /** Empty: the PG* variables say it. */
  abstract readonly url: string;
  /** Whether it is the embedded database; then secrets are kept in files. */
  abstract readonly isEmbedded: boolean;
}
