/** How the text of an option is made of what people mean. */
export type OptionForm =
  | { readonly kind: 'text' }
  | { readonly kind: 'integer' }
  | { readonly kind: 'words'; readonly words: readonly string[] };

/** A small text that an operation may be given besides what it is about. Absent: as the description says. */
export interface Option<Name extends string = string> {
  readonly name: Name;
  readonly description: string;
  readonly form: OptionForm;
  /** True: another spelling of one of the others, for those who know it; new faces leave it out. */
  readonly isAlias: boolean;
}

const option =
  (form: OptionForm, isAlias = false) =>
  <const Name extends string>(name: Name, description: string): Option<Name> => ({
    name,
    description,
    form,
    isAlias,
  });

export const textOption = option({ kind: 'text' });
/** Digits; whoever reads it says what else it must be. */
export const integerOption = option({ kind: 'integer' });
export const aliasOption = option({ kind: 'text' }, true);
/** A comma list of these words. */
export const wordsOption = (words: readonly string[]) => option({ kind: 'words', words });
