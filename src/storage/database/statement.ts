/** A statement that is prepared once per connection under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}
