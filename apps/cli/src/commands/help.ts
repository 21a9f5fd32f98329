import type { Invocation } from '../program/invocation.js';

export async function run({ values, terminal, texts }: Invocation): Promise<void> {
  terminal.text(texts.help(values.args));
}
