import type { Terminal } from '../output/terminal.js';

interface PublishAnswer {
  readonly channels?: Readonly<Record<string, Readonly<Record<string, number | string>>>>;
}

/** The answer of a publish: unchanged as JSON, as a table of its channels otherwise. */
export function showPublished(terminal: Terminal, answer: PublishAnswer, channels: readonly string[]): void {
  terminal.result(answer, () => {
    const rows = Object.entries(answer.channels ?? {});
    if (rows.length === 0) return terminal.note(`published to ${channels.join(', ')}`);
    const members = [...new Set(rows.flatMap(([, published]) => Object.keys(published)))];
    terminal.table(
      ['channel', ...members],
      rows.map(([name, published]) => [name, ...members.map((member) => published[member])]),
      '',
    );
  });
}
