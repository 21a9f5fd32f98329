/** Decodes results of scripts and commands; unexpected ones are errors. */
export interface ReplyReader {
  list(reply: unknown): readonly unknown[];
  listOf<Item>(reply: unknown, read: (item: unknown) => Item): Item[];
  text(reply: unknown): string;
  /** A whole number, also as text. */
  whole(reply: unknown): number;
  oneOf<const Words extends readonly string[]>(reply: unknown, words: Words): Words[number];
  /** The fields of a hash: in turn, as scripts answer them, or as the client library makes an object of them. */
  pairs(reply: unknown): [name: string, value: string][];
}

/** `strange` creates the error of an undecodable result: foreign data, or another version's. */
export function replyReader(strange: (text: string) => Error): ReplyReader {
  const refused = (): Error => strange('the answer of the store cannot be read');
  const list = (reply: unknown): readonly unknown[] => {
    if (!Array.isArray(reply)) throw refused();
    return reply;
  };
  const text = (reply: unknown): string => {
    if (typeof reply !== 'string') throw refused();
    return reply;
  };
  return {
    list,
    listOf: (reply, read) => list(reply).map((item) => read(item)),
    text,
    whole(reply) {
      const value = typeof reply === 'string' ? Number(reply) : reply;
      if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw refused();
      return value;
    },
    oneOf(reply, words) {
      const found = words.find((word) => word === reply);
      if (found === undefined) throw refused();
      return found;
    },
    pairs(reply) {
      if (!Array.isArray(reply)) {
        if (typeof reply !== 'object' || reply === null) throw refused();
        return Object.entries(reply).map(([name, value]) => [name, text(value)]);
      }
      const found: [string, string][] = [];
      for (let at = 0; at < reply.length; at += 2) found.push([text(reply[at]), text(reply[at + 1])]);
      return found;
    },
  };
}
