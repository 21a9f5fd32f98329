import { CannotOpen, isSealed, type Place, type Sealer } from '@carillon/push-store';

/** Seals what is secret where there is a master key, and opens both what is sealed and what is not. */
export class Secrets {
  /** Null: there is no master key. */
  constructor(readonly sealer: Sealer | null) {}

  seal(text: string, place: Place): string {
    return this.sealer === null ? text : this.sealer.seal(text, place);
  }

  /** @throws CannotOpen, also when it is sealed and there is no master key. */
  open(text: string, place: Place): string {
    if (!isSealed(text)) return text;
    if (this.sealer === null) throw new CannotOpen('sealed, and there is no master key');
    return this.sealer.open(text, place);
  }
}
