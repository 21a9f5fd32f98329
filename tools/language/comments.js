// Doc comments of a source file, and the rules of their language.

/** First words that mark a relative clause or a fragment instead of a verb or a noun phrase. */
const FORBIDDEN_FIRST = new Set(
  'what who whom whose whoever whatever where how which those that of as so'.split(' '),
);
/** Persons and colloquial verbs in place of parts of the program and technical verbs. */
const FORBIDDEN =
  /\b(somebody|nobody|everybody|anybody|whoever|tells|told|goes away|gone away|comes back)\b/i;
/** Relative pronouns, whose share of all doc comments is limited. */
const PRONOUN = /\b(what|who|whom|whoever|whatever)\b/i;

/** Returns the doc comments of a file as `{ line, text }`, without tags and with code replaced by `code`. */
export function docComments(source) {
  return [...source.matchAll(/\/\*\*([^]*?)\*\//g)].map(({ 1: body, index }) => ({
    line: source.slice(0, index).split('\n').length,
    text: body
      .replaceAll(/^\s*\*\s?/gm, '')
      .split(/^\s*@/m)[0]
      .replaceAll(/`[^`]*`/g, 'code')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  }));
}

/** Returns the rule that a doc comment breaks, null if none. */
export function brokenRule(text) {
  const [first = ''] = text.split(/[^A-Za-z]/, 1);
  if (FORBIDDEN_FIRST.has(first.toLowerCase()))
    return `begins with "${first}"; begin with a verb or a noun phrase`;
  const [word] = FORBIDDEN.exec(text) ?? [];
  return word === undefined
    ? null
    : `contains "${word}"; name the part of the program, or use a technical verb`;
}

/** Whether a doc comment has a relative pronoun. */
export const hasPronoun = (text) => PRONOUN.test(text);
