/** What a server does with changes of terms besides recording them. */
export class TermUse {
  /** `watched`: somebody may watch terms, so their changes are kept for a while, as those of other resources are. */
  constructor(readonly watched: boolean) {}
}
