/** A folder of files that belong to the program. */
export interface ProgramFolder {
  read(name: string): Buffer;
  /** The names of all files below it, with slashes; none if there is no such folder. */
  list(): readonly string[];
}
