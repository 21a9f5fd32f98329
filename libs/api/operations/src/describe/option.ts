/** Form of an option's text. */
export type OptionForm =
  | { readonly kind: 'text' }
  | { readonly kind: 'integer' }
  | { readonly kind: 'words'; readonly words: readonly string[] };

/** An optional text parameter of an operation. Absent: the documented default. */
export interface Option<Name extends string = string> {
  readonly name: Name;
  readonly description: string;
  readonly form: OptionForm;
  /** True: an alias of another option, omitted by new transports. */
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
/** Digits; further limits are checked by the reader. */
export const integerOption = option({ kind: 'integer' });
export const aliasOption = option({ kind: 'text' }, true);
/** A comma list of these words. */
export const wordsOption = (words: readonly string[]) => option({ kind: 'words', words });
