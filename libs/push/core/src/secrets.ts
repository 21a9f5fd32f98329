import { CannotOpen, isSealed, type Place, type Sealer } from '@carillon/push-store';

/** Encrypts secrets if there is a master key; decrypts encrypted ones and returns plain ones. */
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
