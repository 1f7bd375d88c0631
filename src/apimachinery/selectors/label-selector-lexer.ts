import { MAX_LABEL_TOKENS, selectorTooLong } from './selector-limits.js';

/** A token of the label selector grammar: a word, an operator or a bracket; `end` closes the list. */
export type TokenKind = 'word' | 'in' | 'notin' | '=' | '==' | '!=' | '!' | '>' | '<' | '(' | ')' | ',' | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const END: Token = { kind: 'end', text: '' };
const BLANK = /[ \t\r\n]*/y;
const SYMBOL = /==|!=|[=!(),<>]/y;
const WORD = /[^=!(),<> \t\r\n\0]+/y;

/**
 * Splits a selector into tokens; throws the 400 if there are too many. A NUL ends the selector unless it directly follows a token, to which it then belongs, as in upstream's
 * lexer.
 */
export function labelSelectorTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = position;
    const found = pattern.exec(text)?.[0] ?? '';
    position += found.length;
    return found;
  };
  for (;;) {
    if (tokens.length > MAX_LABEL_TOKENS) throw selectorTooLong(MAX_LABEL_TOKENS, 'tokens');
    take(BLANK);
    const symbol = take(SYMBOL);
    const word = symbol === '' ? take(WORD) : '';
    if (symbol !== '') tokens.push({ kind: symbol as TokenKind, text: symbol });
    else if (word === '') return [...tokens, END];
    else tokens.push({ kind: word === 'in' || word === 'notin' ? word : 'word', text: word });
    if (text[position] === '\0') position++;
  }
}
