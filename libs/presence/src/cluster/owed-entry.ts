/** A change of a subject whose notification a node owes. */
export interface OwedEntry {
  readonly subject: string;
  readonly outcome: 'added' | 'removed';
  readonly serial: number;
}

const ENTRY = /^(\d+):(added|removed):(.*)$/s;

/** The name of the entry in the store, as `owe.lua` writes it. */
export const owedField = ({ serial, outcome, subject }: OwedEntry): string =>
  `${serial}:${outcome}:${subject}`;

/** Null: it is not an entry of this version. */
export function owedEntry(field: string): OwedEntry | null {
  const [, serial, outcome, subject] = ENTRY.exec(field) ?? [];
  if (serial === undefined || subject === undefined) return null;
  return { serial: Number(serial), outcome: outcome === 'added' ? 'added' : 'removed', subject };
}
