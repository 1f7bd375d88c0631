/** The location of the database. The class is the injection token. */
export abstract class DatabaseLocation {
  /** Empty: determined by the PG* variables. */
  abstract readonly url: string;
  /** Whether it is the embedded database, in which case secrets are kept in files. */
  abstract readonly isEmbedded: boolean;
  /** A file of the server in which is noted which installation it has served there. */
  abstract readonly installationFile?: string;
  /** What to say of it, in one line, if it cannot be opened although it answers. */
  abstract readonly ifDamaged?: string;
}
