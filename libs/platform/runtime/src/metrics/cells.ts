import { FOLDED } from './folded.js';
import { labelValue } from './label-values.js';

/** The label values of one time series. */
export type LabelValues = Readonly<Record<string, string>>;

/**
 * The time series of one metric, at most `limit` of them: label sets that come later share one whose values are all
 * `other`, and so does a value its label does not allow: nothing a client names can grow the process or the scrape.
 */
export class Cells<Cell> {
  readonly #cells = new Map<string, { labels: LabelValues; cell: Cell }>();
  #folded: Cell | null = null;

  constructor(
    private readonly names: readonly string[],
    private readonly limit: number,
    private readonly create: (labels: LabelValues) => Cell,
    private readonly onFold: () => void,
  ) {}

  /** The series of these values; a name that is missing counts as empty. */
  get(labels: LabelValues): Cell {
    const key = this.names.map((name) => labels[name] ?? '').join('\u0000');
    const known = this.#cells.get(key);
    if (known !== undefined) return known.cell;
    const shown = this.names.map((name) => labelValue(name, labels[name] ?? ''));
    return this.#series(shown.join('\u0000'), shown);
  }

  #series(key: string, values: readonly string[]): Cell {
    const known = this.#cells.get(key);
    if (known !== undefined) return known.cell;
    if (this.#cells.size >= this.limit && this.names.length > 0) return this.#fold();
    return this.#add(key, Object.fromEntries(this.names.map((name, at) => [name, values[at] ?? ''])));
  }

  entries(): Iterable<{ labels: LabelValues; cell: Cell }> {
    return this.#cells.values();
  }

  #fold(): Cell {
    if (this.#folded !== null) return this.#folded;
    this.onFold();
    const labels = Object.fromEntries(this.names.map((name) => [name, FOLDED]));
    const key = Object.values(labels).join('\u0000');
    this.#folded = this.#cells.get(key)?.cell ?? this.#add(key, labels);
    return this.#folded;
  }

  #add(key: string, labels: LabelValues): Cell {
    const cell = this.create(labels);
    this.#cells.set(key, { labels, cell });
    return cell;
  }
}
